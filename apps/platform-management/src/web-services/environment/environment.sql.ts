import type { ProjectionTables } from '@postern/event-sourcing/postgres';

/**
 * The secrecy of values of the streams `$1` whose newest event is not yet in the read model. A value changes in the
 * transaction of its event, so the read model alone would reveal a value that has just become secret.
 */
const NEWER_SECRECY = `newer AS (
  SELECT DISTINCT ON (e.data->>'value_id')
    (e.data->>'value_id')::uuid AS id, (e.data->>'is_secret')::boolean AS is_secret
  FROM event_store.events e
  JOIN event_store.projections p ON p.name = 'resources' AND p.live AND (e.txid, e.pos) > (p.txid, p.pos)
  WHERE e.stream_id = ANY($1::text[]) ORDER BY e.data->>'value_id', e.version DESC
)`;

const IS_SECRET = 'coalesce(newer.is_secret, v.is_secret)';

export const LIST_VALUES = `
  WITH ${NEWER_SECRECY}
  SELECT v.id, v.key, v.scope, ${IS_SECRET} AS is_secret, CASE WHEN NOT ${IS_SECRET} THEN s.sealed END AS sealed
  FROM named_values v JOIN sealed_values s USING (id) LEFT JOIN newer USING (id) WHERE v.owner_id = $2
  ORDER BY v.key COLLATE "C", array_position(ARRAY['production', 'staging', 'development'], v.scope)`;

/** Secrets of the project `$3`, then variables of the web service `$2`, so that a variable overrides a secret. */
export const CURRENT_CONFIGURATION = `
  WITH ${NEWER_SECRECY}
  SELECT v.id, v.key, ${IS_SECRET} AS is_secret, s.sealed, v.owner_id = $2 AS is_own
  FROM named_values v JOIN sealed_values s USING (id) LEFT JOIN newer USING (id)
  WHERE v.owner_id = $2 OR (v.owner_id = $3 AND v.scope = $4) ORDER BY v.owner_id = $2, v.key`;

/** Connection data of the databases that are attached to the web service `$1`. */
export const ATTACHED_DATABASES = `
  SELECT a.variable, a.id AS attachment_id, d.id, d.kind, coalesce(c.host, d.host) AS host, d.port, c.username, c.sealed_password
  FROM database_attachments a JOIN databases d ON d.id = a.database_id JOIN database_credentials c USING (database_id)
  WHERE a.web_service_id = $1`;

/** Values of the web service `$3`, or of a project if it is null. */
export const SEAL_VALUES = `
  INSERT INTO sealed_values (id, sealed, web_service_id) SELECT v.*, $3::uuid FROM unnest($1::uuid[], $2::text[]) AS v
  ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed`;

export const DELETE_SEALED_VALUE = 'DELETE FROM sealed_values WHERE id = $1';

/** Locks values that are not encrypted with the key whose prefix is `$1`. */
export const LOCK_OUTDATED_VALUES = `
  SELECT id, sealed FROM sealed_values
  WHERE NOT starts_with(sealed, $1) AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3
  FOR UPDATE SKIP LOCKED`;

export const UPDATE_SEALED_VALUES = `
  UPDATE sealed_values SET sealed = fresh.sealed
  FROM unnest($1::uuid[], $2::text[]) AS fresh (id, sealed) WHERE sealed_values.id = fresh.id`;

export const SET_VALUE = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('named_values')} (id, owner_id, key, scope, is_secret) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET is_secret = excluded.is_secret`;

export const DELETE_VALUE = ({ table }: ProjectionTables) => `DELETE FROM ${table('named_values')} WHERE id = $1`;

/** Deletes the values of a deleted project or web service. */
export const DELETE_VALUES_OF = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('named_values')} WHERE owner_id = $1`;

export const LIST_SECRET_FILES = `
  SELECT id, path, size_bytes AS "sizeBytes", updated_at AS "updatedAt" FROM secret_files
  WHERE web_service_id = $1 ORDER BY path COLLATE "C"`;

export const READ_SECRET_FILES = `
  SELECT f.id, f.path, s.sealed FROM secret_files f JOIN sealed_values s USING (id)
  WHERE f.web_service_id = $1 ORDER BY f.path COLLATE "C"`;

export const PUT_SECRET_FILE = `
  INSERT INTO secret_files (id, web_service_id, path, size_bytes) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET size_bytes = excluded.size_bytes, updated_at = now()`;

export const DELETE_SECRET_FILE = 'DELETE FROM secret_files WHERE id = $1 AND web_service_id = $2';
