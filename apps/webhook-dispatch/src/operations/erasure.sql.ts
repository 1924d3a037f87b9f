/** These statements run in the transaction of the erasure, which Prisma cannot join. */

/** The last delivery of a full batch that starts after `$1`; none if fewer than `$2` + 1 are left. */
export const FIND_END_OF_BATCH =
  'SELECT id FROM deliveries WHERE $1::uuid IS NULL OR id > $1 ORDER BY id OFFSET $2 LIMIT 1';

/** Locks the deliveries of a batch, after `$1` up to `$2`, that contain any of the traces `$3`, without case. */
export const FIND_DELIVERIES = `
  SELECT id, payload FROM deliveries
  WHERE ($1::uuid IS NULL OR id > $1) AND ($2::uuid IS NULL OR id <= $2)
    AND EXISTS (SELECT FROM unnest($3::text[]) AS trace WHERE strpos(lower(payload COLLATE "C"), trace) > 0)
  ORDER BY id FOR UPDATE`;

/** `$1` ids, `$2` redacted payloads. */
export const REPLACE_PAYLOADS = `
  UPDATE deliveries SET payload = redacted.payload FROM unnest($1::uuid[], $2::text[]) AS redacted (id, payload)
  WHERE deliveries.id = redacted.id`;

/** `$1` ids of deliveries. Returns a row for each attempt with a response. */
export const CLEAR_RESPONSES = `
  WITH failed AS (
    UPDATE attempts SET response_head = NULL WHERE delivery_id = ANY ($1::uuid[]) AND response_head IS NOT NULL RETURNING 1
  ), accepted AS (
    UPDATE deliveries SET accepted_response = NULL WHERE id = ANY ($1::uuid[]) AND accepted_response IS NOT NULL RETURNING 1
  )
  SELECT 1 FROM failed UNION ALL SELECT 1 FROM accepted`;

/** Deletes unread events of listeners that contain any of the traces `$1`, without case. */
export const DELETE_LISTENER_EVENTS = `
  DELETE FROM webhook_listener_events
  WHERE EXISTS (SELECT FROM unnest($1::text[]) AS trace WHERE strpos(lower(payload COLLATE "C"), trace) > 0)`;
