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
