/** Deletes the notices and waiting signals of emails, by their ids. */
export const DELETE_ROWS_OF_EMAILS = `
  WITH notices AS (DELETE FROM bounce_notices WHERE email_id = ANY ($1::uuid[]))
  DELETE FROM waiting_signals WHERE email_id = ANY ($1::uuid[])`;

/** Deletes what outlives the messages of a service: its bounce rules, and the counts of messages. */
export const DELETE_ROWS_OF_SERVICE = `
  WITH rules AS (DELETE FROM bounce_rules WHERE service_id = $1)
  DELETE FROM kept_daily_counts WHERE service_id = $1`;
