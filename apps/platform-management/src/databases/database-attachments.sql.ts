export const FIND_ATTACHMENT_OF_VARIABLE =
  'SELECT 1 FROM database_attachments WHERE web_service_id = $1 AND variable = $2';

export const INSERT_ATTACHMENT = `
  INSERT INTO database_attachments (id, database_id, web_service_id, variable) VALUES ($1, $2, $3, $4)
  RETURNING created_at`;

export const DELETE_ATTACHMENT = 'DELETE FROM database_attachments WHERE database_id = $1 AND id = $2';

export const DELETE_ATTACHMENTS_OF = 'DELETE FROM database_attachments WHERE database_id = $1';
