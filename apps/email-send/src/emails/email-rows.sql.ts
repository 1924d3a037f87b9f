/** Replaces the record of a message whose outcome was unknown. */
export const RESOLVE_RECORD = `
  WITH resolved AS (DELETE FROM unresolved_emails WHERE email_id = $1)
  UPDATE emails SET record = $2 WHERE id = $1`;

/** The body of a message, sealed or in plain text. */
export const FIND_BODY = `
  SELECT sealed, content FROM (SELECT $1::uuid AS email_id) AS message
  LEFT JOIN sealed_email_bodies USING (email_id) LEFT JOIN email_bodies USING (email_id)`;
