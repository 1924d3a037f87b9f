/** Keys of a workspace have a limit of their own, under a lock of the workspace. */
export const LOCK_KEYS = "SELECT pg_advisory_xact_lock(hashtextextended('management keys ' || $1, 0))";

export const COUNT_KEYS = 'SELECT count(*)::int AS count FROM management_keys WHERE workspace_id = $1';

export const INSERT_KEY = `
  INSERT INTO management_keys (id, user_id, workspace_id, service_id, name, key_hash, key_prefix, scopes, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export const LIST_KEYS = 'SELECT * FROM management_keys WHERE workspace_id = $1 ORDER BY created_at, id';

export const DELETE_KEY = 'DELETE FROM management_keys WHERE id = $1 AND workspace_id = $2';

/** A key ends with the membership of its user, also if they join again. */
export const FIND_KEY = `
  SELECT k.*, m.role, u.email, q.limits,
    (coalesce(k.expires_at <= now(), false) OR u.disabled_at IS NOT NULL OR m.user_id IS NULL) AS refused
  FROM management_keys k
  LEFT JOIN credentials u ON u.user_id = k.user_id
  LEFT JOIN memberships m
    ON m.user_id = k.user_id AND m.workspace_id = k.workspace_id AND m.joined_at <= k.created_at
  LEFT JOIN workspace_quotas q ON q.workspace_id = k.workspace_id
  WHERE k.key_hash = $1`;

/** At most twice a minute, so that reads seldom write. */
export const SAVE_USE = `
  UPDATE management_keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '30 seconds')`;
