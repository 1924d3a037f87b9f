/** Replaces the record of a message whose outcome was unknown. */
export const RESOLVE_RECORD = `
  WITH resolved AS (DELETE FROM unresolved_emails WHERE email_id = $1)
  UPDATE emails SET record = $2 WHERE id = $1`;

/** The sealed body of a message. */
export const FIND_BODY = 'SELECT key_id, body FROM sealed_email_bodies WHERE email_id = $1';
