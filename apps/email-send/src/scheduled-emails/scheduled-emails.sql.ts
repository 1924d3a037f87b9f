/** Serializes the acceptance of scheduled messages of one service, for their limit. */
export const LOCK_SERVICE = `SELECT pg_advisory_xact_lock(hashtextextended('scheduled-emails-of-' || $1::text, 0))`;

/** Messages of a service that wait. */
export const COUNT_WAITING = `
  SELECT count(*)::int AS messages, coalesce(sum(bytes), 0)::bigint AS bytes
  FROM scheduled_emails WHERE service_id = $1 AND state = 'scheduled'`;

/** Stores a scheduled message, once. */
export const INSERT_SCHEDULED = `
  INSERT INTO scheduled_emails
    (id, service_id, key_hash, state, send_at, due_at, attempt_id, recipients, bytes, sealed, sealed_summary, created_at)
  VALUES ($1, $2, $3, 'scheduled', $4, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (id) DO NOTHING`;

const FIELDS = `scheduled.id, scheduled.service_id, scheduled.state, scheduled.send_at, scheduled.email_id, scheduled.error,
  scheduled.sealed_summary, scheduled.created_at, emails.record`;
/** Evidence may change the status of a message later. */
const STATE = `coalesce(emails.record::jsonb->>'status', scheduled.state)`;
const WITH_RECORD = 'scheduled_emails AS scheduled LEFT JOIN emails ON emails.id = scheduled.email_id';

/** A scheduled message of a service, with the record of the message that was sent. */
export const FIND_SCHEDULED = `
  SELECT ${FIELDS} FROM ${WITH_RECORD} WHERE scheduled.id = $1 AND scheduled.service_id = $2`;

/** Locks a scheduled message of a service before a change. */
export const LOCK_SCHEDULED = `
  SELECT state, claim IS NOT NULL AS claimed FROM scheduled_emails WHERE id = $1 AND service_id = $2 FOR UPDATE`;

/** A page of the scheduled messages of a service, the latest times first. */
export const LIST_SCHEDULED = `
  SELECT ${FIELDS} FROM ${WITH_RECORD}
  WHERE scheduled.service_id = $1 AND ($2::text IS NULL OR ${STATE} = $2)
  ORDER BY scheduled.send_at DESC, scheduled.id DESC LIMIT $3 OFFSET $4`;

export const COUNT_SCHEDULED = `
  SELECT count(*)::int AS total FROM ${WITH_RECORD}
  WHERE scheduled.service_id = $1 AND ($2::text IS NULL OR ${STATE} = $2)`;

export const RESCHEDULE = 'UPDATE scheduled_emails SET send_at = $2, due_at = $2 WHERE id = $1';

export const CANCEL = `
  UPDATE scheduled_emails SET state = 'cancelled', finished_at = $2, error = $3, sealed = NULL WHERE id = $1`;

/** Claims messages that are due, and those whose claim ended without an outcome. */
export const CLAIM_DUE = `
  WITH due AS MATERIALIZED (
    SELECT id FROM scheduled_emails
    WHERE state = 'scheduled' AND due_at <= $1 AND (claim IS NULL OR claimed_until <= $1)
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE scheduled_emails AS scheduled
  SET claim = $3::uuid, claimed_until = $1::timestamptz + make_interval(secs => $4)
  FROM due WHERE scheduled.id = due.id
  RETURNING scheduled.id, scheduled.service_id, scheduled.key_hash, scheduled.send_at, scheduled.attempt_id,
    scheduled.bytes, scheduled.claim`;

/** The content of a claimed message. */
export const FIND_CONTENT = 'SELECT sealed FROM scheduled_emails WHERE id = $1 AND claim = $2';

/** Ends a message, if the claim still holds. */
export const FINISH = `
  UPDATE scheduled_emails
  SET state = $3, email_id = $4, error = $5, finished_at = $6, sealed = NULL, claim = NULL, claimed_until = NULL
  WHERE id = $1 AND claim = $2`;

/** Ends the claim of a message that was not sent; it is due again at `$3`, under the id `$4`. */
export const RELEASE = `
  UPDATE scheduled_emails SET claim = NULL, claimed_until = NULL, due_at = $3, attempt_id = $4
  WHERE id = $1 AND claim = $2`;

/** Keeps the claim of a message that may have been sent; anyone may take it over at `$3`. */
export const ASK_AGAIN = 'UPDATE scheduled_emails SET claimed_until = $3, due_at = $3 WHERE id = $1 AND claim = $2';

/** Postpones the other messages of a service that are due, because its limit is reached. */
export const POSTPONE_SERVICE = `
  UPDATE scheduled_emails SET due_at = $2
  WHERE id IN (
    SELECT id FROM scheduled_emails
    WHERE service_id = $1 AND state = 'scheduled' AND claim IS NULL AND due_at < $2 FOR UPDATE SKIP LOCKED)`;

/** Messages to a person, by the hashes of the address, after the id `$2`. */
export const LOCK_OF_RECIPIENT = `
  SELECT id, state, claim IS NOT NULL AS claimed, sealed, sealed_summary FROM scheduled_emails
  WHERE recipients && $1::text[] AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3 FOR UPDATE`;

/** Stores a message without the person. */
export const REPLACE_CONTENT = `
  UPDATE scheduled_emails SET sealed = $2, sealed_summary = $3, recipients = $4, bytes = $5 WHERE id = $1`;

/** Deletes what a finished message says about its recipients. */
export const FORGET_CONTENT = `
  UPDATE scheduled_emails SET sealed = NULL, sealed_summary = NULL, recipients = '{}',
    error = CASE WHEN error IS NULL THEN NULL ELSE 'a recipient was erased' END
  WHERE id = $1`;
