import { APPEND } from '@postern/event-sourcing/postgres';
import { IDEMPOTENCY_HOURS } from './idempotency.js';

/** The fast path of admission: the SQL function `admit_emails`. */
export const ADMIT_EMAILS = `
  SELECT * FROM admit_emails(${Array.from({ length: 28 }, (_, place) => `$${place + 1}`).join(', ')})`;

/** The fast path of conclusion: appends outcomes and stores records. Returns the appends that met a conflict. */
export const CONCLUDE_EMAILS = `
  WITH appended AS MATERIALIZED (SELECT append_index, admitted FROM ${APPEND}),
  kept AS (
    INSERT INTO emails (id, service_id, record)
    SELECT id, service_id, record
    FROM unnest($11::uuid[], $12::uuid[], $13::text[]) WITH ORDINALITY AS concluded (id, service_id, record, place)
    JOIN appended ON append_index = place WHERE admitted
  )
  SELECT append_index FROM appended WHERE NOT admitted`;

/** The record of one message of a service. */
export const FIND_RECORD = 'SELECT record FROM emails WHERE id = $1 AND service_id = $2';

/** Messages that were admitted before, by their streams. */
export const FIND_ADMITTED =
  'SELECT stream_id FROM event_store.events WHERE stream_id = ANY ($1::text[]) AND version = 1';

/** The newest open request for each fingerprint, whose answer was lost or unknown. */
export const FIND_OPEN_REQUESTS = `
  SELECT DISTINCT ON (fingerprint) fingerprint, email_id, record
  FROM open_requests LEFT JOIN emails ON id = email_id
  WHERE fingerprint = ANY ($1::uuid[]) AND answer_by > $2 AND answer_by <= $3
  ORDER BY fingerprint, answer_by DESC`;

/** Deletes open requests whose answers were received. */
export const CLOSE_OPEN_REQUESTS = 'DELETE FROM open_requests WHERE email_id = ANY ($1::uuid[])';

/** Claims idempotency keys that are free or expired; returns the messages whose keys were claimed. */
export const CLAIM_KEYS = `
  INSERT INTO idempotency_keys AS known (service_id, key, fingerprint, email_id, claimed_at)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::timestamptz[])
  ON CONFLICT (service_id, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, email_id = excluded.email_id, claimed_at = excluded.claimed_at
    WHERE known.claimed_at < excluded.claimed_at - make_interval(hours => ${IDEMPOTENCY_HOURS})
  RETURNING email_id`;

/** The valid claims of idempotency keys, with deadline and record of their messages. */
export const FIND_KEYS = `
  SELECT known.service_id, known.key, known.fingerprint, known.email_id,
         open_requests.answer_by, emails.record
  FROM unnest($1::uuid[], $2::text[]) AS wanted (service_id, key)
  JOIN idempotency_keys AS known USING (service_id, key)
  LEFT JOIN emails ON emails.id = known.email_id
  LEFT JOIN open_requests ON open_requests.email_id = known.email_id
  WHERE known.claimed_at > now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`;

/** Releases claims of idempotency keys. */
export const RELEASE_KEYS = `
  DELETE FROM idempotency_keys AS known
  USING unnest($1::uuid[], $2::text[], $3::uuid[]) AS released (service_id, key, email_id)
  WHERE (known.service_id, known.key, known.email_id) = (released.service_id, released.key, released.email_id)`;

/** The usage of a service in some minutes and days. */
export const READ_USAGE = `
  SELECT period, used FROM sending_usage
  JOIN unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS wanted (service_id, period, starts_at)
    USING (service_id, period, starts_at)`;

/** Adds to usage counters, never below zero; returns the new values. */
export const ADD_USAGE = `
  INSERT INTO sending_usage AS usage (service_id, period, starts_at, used)
  SELECT service_id, period, starts_at, by FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::integer[])
    AS counted (service_id, period, starts_at, by)
  ON CONFLICT (service_id, period, starts_at) DO UPDATE SET used = greatest(0, usage.used + excluded.used)
  RETURNING service_id, period, starts_at, used`;

/** Stores sealed bodies of admitted messages, and their requests as open in this process. */
export const INSERT_OPEN_REQUESTS = `
  WITH bodies AS (
    INSERT INTO sealed_email_bodies (email_id, key_id, body)
    SELECT id, $3, body FROM unnest($1::uuid[], $2::bytea[]) AS message (id, body)
  )
  INSERT INTO open_requests (email_id, instance_id, fingerprint, answer_by)
  SELECT id, $6, print, deadline
  FROM unnest($1::uuid[], $4::uuid[], $5::timestamptz[]) AS message (id, print, deadline)`;

/** Stores records of concluded messages, deletes the open requests of those not handed over, and lists unknown outcomes. */
export const INSERT_RECORDS = `
  WITH not_handed_over AS (DELETE FROM open_requests WHERE email_id = ANY ($4::uuid[])),
  unresolved AS (
    INSERT INTO unresolved_emails (email_id) SELECT unnest($5::uuid[]) ON CONFLICT DO NOTHING
  )
  INSERT INTO emails (id, service_id, record) SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[])`;

/** Stores copies that a relay deferred. */
export const INSERT_DEFERRED_COPIES = `
  INSERT INTO deferred_copies (email_id, recipient_index, due_at, deadline)
  SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::timestamptz[], $4::timestamptz[])`;
