export const INSERT_CREDENTIALS =
  'INSERT INTO database_credentials (database_id, username, sealed_password) VALUES ($1, $2, $3)';

export const DELETE_CREDENTIALS = 'DELETE FROM database_credentials WHERE database_id = $1';
