import type { ProjectionTables } from '@postern/event-sourcing/postgres';

/** Stores the sealed private half of a DKIM key. */
export const INSERT_DKIM_KEY =
  'INSERT INTO dkim_keys (id, domain_id, selector, sealed_private_key) VALUES ($1, $2, $3, $4)';

/** Stores an Ed25519 key beside an RSA key; does nothing if the RSA key is deleted or has one. */
export const INSERT_ED25519_KEY = `
  INSERT INTO dkim_ed25519_keys (rsa_key_id, selector, record, sealed_private_key)
  SELECT id, $2, $3, $4 FROM dkim_keys WHERE id = $1 FOR KEY SHARE
  ON CONFLICT (rsa_key_id) DO NOTHING`;

/** The public halves of Ed25519 keys, in the order of their RSA keys. */
export const FIND_ED25519_KEYS = `
  SELECT rsa_key_id, selector, record FROM dkim_ed25519_keys
  JOIN unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, place) ON id = rsa_key_id ORDER BY place`;

/** Deletes keys by id; Ed25519 keys beside them are deleted by the foreign key. */
export const DELETE_DKIM_KEYS = 'DELETE FROM dkim_keys WHERE id = ANY ($1::uuid[])';

/** Reads the streams that a check decides on, inside its transaction. */
export const READ_STREAMS = `
  SELECT stream_id, type, data FROM event_store.events WHERE stream_id = ANY ($1::text[]) ORDER BY stream_id, version`;

/** Adds the row of a domain, whose first check is due at once. */
export const INSERT_CHECK = 'INSERT INTO domain_checks (domain_id, due_at) VALUES ($1, now()) ON CONFLICT DO NOTHING';

/** Claims due domains by postponing their due time: a check that never finishes becomes due again. */
export const CLAIM_DUE_CHECKS = `
  WITH due AS MATERIALIZED (
    SELECT c.domain_id, d.service_id FROM domain_checks AS c JOIN sending_domains AS d ON d.id = c.domain_id
    WHERE c.due_at <= now() ORDER BY c.due_at LIMIT $1 FOR UPDATE OF c SKIP LOCKED
  )
  UPDATE domain_checks AS c SET due_at = now() + interval '2 minutes' FROM due WHERE c.domain_id = due.domain_id
  RETURNING due.domain_id AS "domainId", due.service_id AS "serviceId"`;

/** Records a check, and schedules the next one after so many seconds. */
export const RECORD_CHECK = `
  UPDATE domain_checks SET checked_at = now(), due_at = now() + make_interval(secs => $2) WHERE domain_id = $1`;

/** Schedules the next check for now. */
export const SCHEDULE_CHECK_NOW = 'UPDATE domain_checks SET due_at = now() WHERE domain_id = $1';

/** Deletes the row of a removed domain, and with it the keys of the domain and the reports about it. */
export const DELETE_CHECK = 'DELETE FROM domain_checks WHERE domain_id = $1';

/** Adds a domain to the read model. */
export const INSERT_DOMAIN = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('sending_domains')} (id, service_id, domain, status, dkim, records, created_at)
  VALUES ($1, $2, $3, 'pending', $4, '[]', $5)`;

/** Sets the DNS records of the last check. */
export const SET_RECORDS = ({ table }: ProjectionTables) =>
  `UPDATE ${table('sending_domains')} SET records = $2 WHERE id = $1`;

/** Sets a domain to verified for the first time. */
export const SET_VERIFIED = ({ table }: ProjectionTables) =>
  `UPDATE ${table('sending_domains')} SET status = 'verified', verified_at = $2 WHERE id = $1`;

/** Sets a domain to verified after its records were lost. */
export const SET_RESTORED = ({ table }: ProjectionTables) =>
  `UPDATE ${table('sending_domains')} SET status = 'verified' WHERE id = $1`;

/** Marks the records of a domain as lost. */
export const SET_RECORDS_LOST = ({ table }: ProjectionTables) =>
  `UPDATE ${table('sending_domains')} SET status = 'records_lost' WHERE id = $1`;

/** Sets the next key of a rotation. */
export const SET_NEXT_KEY = ({ table }: ProjectionTables) =>
  `UPDATE ${table('sending_domains')} SET next_dkim = $2 WHERE id = $1`;

/** Replaces the signing key with the next one. */
export const ROTATE_KEY = ({ table }: ProjectionTables) =>
  `UPDATE ${table('sending_domains')} SET dkim = next_dkim, next_dkim = NULL WHERE id = $1`;

/** Sets the tracking host of a domain, whose record is not found yet; null for none. */
export const SET_TRACKING_HOST = ({ table }: ProjectionTables) => `
  UPDATE ${table('sending_domains')}
  SET tracking_host = $2::text, tracking_status = CASE WHEN $2::text IS NOT NULL THEN 'pending' END, tracking_verified_at = NULL
  WHERE id = $1`;

/** Sets a tracking host to verified. */
export const SET_TRACKING_VERIFIED = ({ table }: ProjectionTables) => `
  UPDATE ${table('sending_domains')}
  SET tracking_status = 'verified', tracking_verified_at = coalesce(tracking_verified_at, $2) WHERE id = $1`;

/** Marks the record of a tracking host as lost. */
export const SET_TRACKING_LOST = ({ table }: ProjectionTables) =>
  `UPDATE ${table('sending_domains')} SET tracking_status = 'record_lost' WHERE id = $1`;

/** Removes a domain from the read model. */
export const DELETE_DOMAIN = ({ table }: ProjectionTables) => `DELETE FROM ${table('sending_domains')} WHERE id = $1`;
