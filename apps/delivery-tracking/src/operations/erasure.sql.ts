/** Finds signals that contain any of the traces `$1`, without case. Runs in the transaction of the erasure. */
export const FIND_WAITING_SIGNALS = `
  SELECT id::text AS id, told AS received FROM waiting_signals
  WHERE EXISTS (SELECT FROM unnest($1::text[]) AS trace WHERE strpos(lower(told::text COLLATE "C"), trace) > 0)`;

/** Finds notices that contain any of the traces `$1`, without case. Runs in the transaction of the erasure. */
export const FIND_BOUNCE_NOTICES = `
  SELECT id::text AS id, evidence FROM bounce_notices
  WHERE EXISTS (SELECT FROM unnest($1::text[]) AS trace WHERE strpos(lower(evidence::text COLLATE "C"), trace) > 0)`;

/** Deletes the notices `$1` in the transaction of the erasure. */
export const FORGET_BOUNCE_NOTICES = 'DELETE FROM bounce_notices WHERE id = ANY ($1::bigint[])';

/** Deletes the signals `$1` in the transaction of the erasure. */
export const FORGET_WAITING_SIGNALS = 'DELETE FROM waiting_signals WHERE id = ANY ($1::bigint[])';

/** The id that ends the batch of `$2` emails after `$1`, if more follow. */
export const FIND_END_OF_EMAILS = `SELECT id FROM tracked_emails WHERE id > $1::uuid ORDER BY id OFFSET $2 LIMIT 1`;

/**
 * Emails after `$1` up to `$2` whose row holds what email-send said, and contains any of the traces `$3`, without case; locked. Runs in
 * the transaction of the erasure.
 */
export const FIND_FOLLOWED_EMAILS = `
  SELECT id, service_id, accepted_at, sender, subject, tags, message_id, recipients, hand_over FROM tracked_emails
  WHERE id > $1::uuid AND ($2::uuid IS NULL OR id <= $2)
    AND EXISTS (SELECT FROM unnest($3::text[]) AS trace
      WHERE strpos(lower(concat_ws(' ', to_json(sender), to_json(subject), to_json(tags), message_id, recipients, hand_over)
        COLLATE "C"), trace) > 0)
  ORDER BY id FOR UPDATE`;

/** Replaces what the rows of emails contain, and their further recipients, in the transaction of the erasure. `$1` rows as JSON. */
export const REPLACE_EMAILS = `
  WITH fresh AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS fresh (id uuid, service_id uuid, accepted_at timestamptz, sender text,
      subject text, tags jsonb, message_id text, recipients jsonb, hand_over jsonb, address text, search text,
      earlier text[], others text[])
  ), gone AS (
    DELETE FROM tracked_other_recipients AS other USING fresh
    WHERE other.service_id = fresh.service_id AND other.address = ANY (fresh.earlier) AND NOT other.address = ANY (fresh.others)
      AND other.accepted_at = fresh.accepted_at AND other.email_id = fresh.id
  ), added AS (
    INSERT INTO tracked_other_recipients (service_id, address, accepted_at, email_id)
    SELECT service_id, unnest(others), accepted_at, id FROM fresh ON CONFLICT DO NOTHING
  )
  UPDATE tracked_emails AS email SET sender = fresh.sender, subject = fresh.subject, message_id = fresh.message_id,
    tags = CASE WHEN fresh.tags <> 'null' THEN ARRAY(SELECT jsonb_array_elements_text(fresh.tags)) END,
    recipients = fresh.recipients, hand_over = fresh.hand_over, address = fresh.address, search = fresh.search
  FROM fresh WHERE email.id = fresh.id`;
