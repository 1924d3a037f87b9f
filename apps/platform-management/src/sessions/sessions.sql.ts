/** Inserts nothing if the password was changed or the user disabled; FOR SHARE waits for a concurrent change. */
export const OPEN_SESSION = `
  INSERT INTO sessions (token_hash, user_id, workspace_id, expires_at, client_address, user_agent)
  SELECT $1, user_id, $3, $4, $6, $7 FROM credentials 
  WHERE user_id = $2 AND password_hash = $5 AND disabled_at IS NULL FOR SHARE`;

/** Runs for every request of the dashboard; a user who left the workspace has no session in it. */
export const FIND_SESSION = `
  SELECT s.user_id AS "userId", s.workspace_id AS "workspaceId", c.email, c.operator, m.role,
    s.last_used_at < now() - interval '1 minute' AS "useIsOld", coalesce(q.limits, '{}') AS quotas,
    EXISTS (SELECT FROM second_factors f WHERE f.user_id = s.user_id AND f.confirmed_at IS NOT NULL) AS "hasSecondFactor"
  FROM sessions s JOIN credentials c ON c.user_id = s.user_id
  JOIN memberships m ON m.user_id = s.user_id AND m.workspace_id = s.workspace_id
  LEFT JOIN workspace_quotas q ON q.workspace_id = s.workspace_id
  WHERE s.token_hash = $1 AND c.disabled_at IS NULL AND s.expires_at > now()
    AND s.last_used_at > now() - make_interval(mins => $2)`;

/** Runs at most once a minute for each session in use. */
export const SAVE_SESSION_USE = 'UPDATE sessions SET last_used_at = now() WHERE token_hash = $1';

export const END_SESSIONS_OF_USER = 'DELETE FROM sessions WHERE user_id = $1';

export const END_OTHER_SESSIONS = 'DELETE FROM sessions WHERE user_id = $1 AND token_hash <> $2';

export const END_SESSIONS_IN_WORKSPACE = 'DELETE FROM sessions WHERE user_id = $1 AND workspace_id = $2';

export const DELETE_EXPIRED_SESSIONS = `
  DELETE FROM sessions WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM sessions
    WHERE expires_at <= now() OR last_used_at <= now() - make_interval(mins => $1) LIMIT $2))`;

export const REMEMBER_DEVICE = `
  INSERT INTO known_devices (user_id, network, user_agent) VALUES ($1, $2, $3)
  ON CONFLICT (user_id, network, user_agent) DO UPDATE SET last_seen_at = now()
  RETURNING xmax = 0 AS "isNew", EXISTS (SELECT FROM known_devices k WHERE k.user_id = $1) AS "hasOthers"`;

export const DELETE_OLD_DEVICES = `
  DELETE FROM known_devices WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM known_devices WHERE last_seen_at < now() - interval '180 days' LIMIT $1))`;
