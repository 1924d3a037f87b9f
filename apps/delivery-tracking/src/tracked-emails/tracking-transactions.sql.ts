/** Reads the streams of one transaction. `$1` stream ids. Hot: runs once per group of signals. */
export const READ_HISTORIES = `
  SELECT stream_id, type, data, metadata->>'traceparent' AS traceparent
  FROM event_store.events WHERE stream_id = ANY ($1) ORDER BY stream_id, version`;

/** Reads the signals that waited for emails. `$1` email ids. Runs in the same round trip as the locks. */
export const READ_WAITING_SIGNALS = `
  SELECT id::text AS id, told AS received FROM waiting_signals WHERE email_id = ANY ($1) ORDER BY waiting_signals.id`;

/** The bounce rules of services `$1`, newest first. Runs only for transactions with bounces. */
export const READ_OWN_RULES = `
  SELECT service_id AS "serviceId", id, phrase, cause, domain, status_code AS "statusCode" FROM bounce_rules
  WHERE service_id = ANY ($1::uuid[]) ORDER BY created_at DESC, bounce_rules.id DESC`;

/** Stores signals in a batch, pipelined with the append. `$1` email ids, `$2` kinds, `$3` signals. */
export const STORE_WAITING_SIGNALS = `
  INSERT INTO waiting_signals (email_id, kind, told) SELECT * FROM unnest($1::uuid[], $2::text[], $3::jsonb[])`;

/**
 * Stores the input of the classification of bounces. `$1` email ids, `$2` indexes, `$3` times, `$4` rule versions, `$5`
 * evidence.
 */
export const STORE_BOUNCE_NOTICES = `
  INSERT INTO bounce_notices (email_id, recipient_index, received_at, rules_version, evidence)
  SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::timestamptz[], $4::integer[], $5::jsonb[])`;

/** Reads at most `$3` notices after the id `$2` that rules older than `$1` classified. */
export const READ_OLD_NOTICES = `
  SELECT id::text AS id, email_id AS "emailId", recipient_index AS index,
    to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, evidence
  FROM bounce_notices WHERE rules_version < $1 AND id > $2::bigint ORDER BY bounce_notices.id LIMIT $3`;

/** Deletes at most `$2` notices received before `$1`. */
export const DELETE_OLD_NOTICES = `
  DELETE FROM bounce_notices WHERE id = ANY (ARRAY(
    SELECT id FROM bounce_notices WHERE received_at < $1 LIMIT $2
  ))`;

/** Deletes signals that were decided, in the same transaction. `$1` ids. */
export const DELETE_WAITING_SIGNALS = 'DELETE FROM waiting_signals WHERE id = ANY ($1::bigint[])';

/** Deletes at most `$2` signals received before `$1`; Prisma cannot return deleted rows or limit a delete. */
export const DELETE_OLD_WAITING_SIGNALS = `
  DELETE FROM waiting_signals WHERE id = ANY (ARRAY(
    SELECT id FROM waiting_signals WHERE received_at < $1 LIMIT $2
  )) RETURNING kind`;
