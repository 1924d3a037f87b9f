import type { ProjectionTables } from '@postern/event-sourcing/postgres';

const WINDOW = `interval '1 minute'`;

const KNOWN_KEYS = `
  SELECT k.*, m.role, batch.counted,
    CASE WHEN u.disabled_at IS NOT NULL THEN 'user_disabled' WHEN m.user_id IS NULL THEN 'member_removed'
      WHEN k.expires_at <= now() THEN 'platform_key_expired' END AS refused
  FROM unnest($1::text[], $2::integer[]) AS batch (key_hash, counted)
  JOIN platform_keys k USING (key_hash) JOIN credentials u ON u.user_id = k.user_id
  LEFT JOIN memberships m
    ON m.user_id = k.user_id AND m.workspace_id = k.workspace_id AND m.joined_at <= k.created_at`;

const KEY_COLUMNS = `k.key_hash, k.id, k.user_id, k.workspace_id, k.name, k.key_prefix, k.scope, k.expires_at,
    k.projects, k.operations, k.role, k.refused`;

/**
 * Looks up a batch of calls, and counts those whose key is not refused. The minute of a key starts with its first call.
 * Keys are locked in the order of their ids, so that two batches cannot deadlock.
 */
export const ADMIT_CALLS = `
  WITH known AS (${KNOWN_KEYS}
  ), counts AS (
    INSERT INTO platform_call_counts AS c (key_id, began_at, calls)
    SELECT id, now(), counted FROM known WHERE counted > 0 AND refused IS NULL ORDER BY id
    ON CONFLICT (key_id) DO UPDATE SET
      began_at = CASE WHEN c.began_at > now() - ${WINDOW} THEN c.began_at ELSE excluded.began_at END,
      calls = CASE WHEN c.began_at > now() - ${WINDOW} THEN c.calls ELSE 0 END + excluded.calls
    RETURNING key_id, calls, least(60, ceil(extract(epoch FROM began_at + ${WINDOW} - now())))::integer AS reset_s
  )
  SELECT ${KEY_COLUMNS}, counts.calls AS used, counts.reset_s
  FROM known k LEFT JOIN counts ON counts.key_id = k.id`;

/** The same lookup for a batch in which no call is counted. */
export const ADMIT_UNCOUNTED_CALLS = `
  SELECT ${KEY_COLUMNS}, NULL::integer AS used, NULL::integer AS reset_s
  FROM (${KNOWN_KEYS}
  ) k`;

export const SAVE_LAST_USES = `
  INSERT INTO platform_key_uses AS u (key_id, last_used_at)
  SELECT id, at FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at) JOIN platform_keys USING (id) ORDER BY id
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at)`;

export const INSERT_KEY = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('platform_keys')}
    (id, user_id, workspace_id, name, key_hash, key_prefix, scope, expires_at, created_at,
     projects, operations)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

export const DELETE_KEYS_OF = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('platform_keys')} WHERE workspace_id = $1`;

export const DELETE_KEY = ({ table }: ProjectionTables) => `DELETE FROM ${table('platform_keys')} WHERE id = $1`;
