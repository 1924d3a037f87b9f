/** Deletes the notices and waiting signals of emails, by their ids. */
export const DELETE_ROWS_OF_EMAILS = `
  WITH notices AS (DELETE FROM bounce_notices WHERE email_id = ANY ($1::uuid[]))
  DELETE FROM waiting_signals WHERE email_id = ANY ($1::uuid[])`;

/** Deletes the counts of a service that outlive its messages. */
export const DELETE_KEPT_COUNTS = 'DELETE FROM kept_daily_counts WHERE service_id = $1';
