/** Deletes messages, by their ids. */
export const DELETE_MESSAGES = `
  WITH sealed AS (DELETE FROM sealed_email_bodies WHERE email_id = ANY ($1::uuid[])),
  requests AS (DELETE FROM open_requests WHERE email_id = ANY ($1::uuid[])),
  copies AS (DELETE FROM deferred_copies WHERE email_id = ANY ($1::uuid[])),
  unresolved AS (DELETE FROM unresolved_emails WHERE email_id = ANY ($1::uuid[]))
  DELETE FROM emails WHERE id = ANY ($1::uuid[])`;
