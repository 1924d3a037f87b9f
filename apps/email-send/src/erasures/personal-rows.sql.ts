/** Deletes suppressed addresses. */
export const DELETE_SUPPRESSIONS = 'DELETE FROM suppressed_addresses WHERE address = ANY ($1)';

/** Deletes deferred copies; without its row, a copy is not sent. */
export const DELETE_COPIES = `
  DELETE FROM deferred_copies USING unnest($1::uuid[], $2::smallint[]) AS deleted (email_id, index)
  WHERE deferred_copies.email_id = deleted.email_id AND recipient_index = deleted.index`;

/** Deletes logged requests whose body or answer names the address. */
export const DELETE_LOGGED_REQUESTS = `
  DELETE FROM logged_requests WHERE EXISTS (
    SELECT FROM unnest($1::text[]) AS form
    WHERE strpos(lower(coalesce(body, '')), lower(form)) > 0 OR strpos(lower(coalesce(message, '')), lower(form)) > 0)`;

/** Reads and locks records of messages. */
export const LOCK_RECORDS = 'SELECT id, record FROM emails WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE';

/** Replaces records of messages. */
export const REPLACE_RECORDS = `
  UPDATE emails SET record = fresh.record FROM unnest($1::uuid[], $2::text[]) AS fresh (id, record)
  WHERE emails.id = fresh.id`;

/** Deletes bodies of final messages; the others are deleted in a later pass. */
export const DELETE_BODIES = `
  DELETE FROM sealed_email_bodies AS body WHERE email_id = ANY ($1::uuid[])
    AND EXISTS (SELECT FROM emails e WHERE e.id = body.email_id)
    AND NOT EXISTS (SELECT FROM deferred_copies d WHERE d.email_id = body.email_id)`;

/** Clients choose idempotency keys. A key that contains the address is replaced by the id of its message. */
export const REPLACE_KEYS = `
  UPDATE idempotency_keys SET key = email_id::text WHERE email_id = ANY ($1::uuid[])
    AND EXISTS (SELECT FROM unnest($2::text[]) AS form WHERE strpos(lower(key), lower(form)) > 0)`;

/** Counts messages that are still being sent. */
export const COUNT_UNFINISHED =
  'SELECT count(*)::int AS count FROM sealed_email_bodies WHERE email_id = ANY ($1::uuid[])';
