import type { ProjectionTables } from '@postern/event-sourcing/postgres';

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

/** Serializes the attempts of one source, or of all unknown devices, on one account, so that all are counted. */
export const LOCK_LOGIN_ATTEMPTS = `SELECT pg_advisory_xact_lock(hashtextextended('login ' || $1 || ' ' || $2, 0))`;

/** Uses the time of the statement, because the transaction may have waited for the lock. */
export const RECENT_FAILURES = `
  SELECT count(*) FILTER (WHERE own)::integer AS "ofSource",
    extract(epoch FROM clock_timestamp() - (array_agg(at ORDER BY at DESC) FILTER (WHERE own))[$5::integer])::float8
      AS "sinceOldestS",
    count(*) FILTER (WHERE $3::text IS NOT NULL)::integer AS "ofUnknownDevices",
    extract(epoch FROM clock_timestamp() - max(at))::float8 AS "sinceLatestS"
  FROM (
    SELECT at, $3::text IS NULL OR ip = $3 AS own FROM login_failures
    WHERE email = $1 AND source = $2 AND at > clock_timestamp() - make_interval(secs => $4)
  ) AS recent`;

export const RECORD_LOGIN_ATTEMPT =
  'INSERT INTO login_failures (email, ip, source, at) VALUES ($1, $2, $3, clock_timestamp())';

export const NETWORK_FAILURES = `
  SELECT 1 FROM login_failures WHERE ip = $1 AND at > now() - make_interval(secs => $2) LIMIT $3`;

export const DELETE_OLD_LOGIN_FAILURES = `
  DELETE FROM login_failures WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM login_failures WHERE at < now() - make_interval(secs => $1) LIMIT $2))`;

export const INSERT_CREDENTIALS = `
  INSERT INTO credentials (user_id, email, password_hash, operator) VALUES ($1, $2, $3, $4)
  ON CONFLICT (email) DO NOTHING`;

export const REPLACE_PASSWORD = 'UPDATE credentials SET password_hash = $3 WHERE user_id = $1 AND password_hash = $2';

export const STREAM_EVENTS = 'SELECT type, data FROM event_store.events WHERE stream_id = $1 ORDER BY version';

export const END_SESSIONS_OF_USER = 'DELETE FROM sessions WHERE user_id = $1';

export const END_SESSIONS_IN_WORKSPACE = 'DELETE FROM sessions WHERE user_id = $1 AND workspace_id = $2';

/** Updates no row if the user already has the requested state. */
export const SET_DISABLED = `
  UPDATE credentials SET disabled_at = CASE WHEN $2 THEN now() END
  WHERE user_id = $1 AND (disabled_at IS NULL) = $2`;

/** Runs inside the transaction that holds the lock of operators. */
export const FIND_ENABLED_OPERATOR = 'SELECT 1 FROM credentials WHERE operator AND disabled_at IS NULL LIMIT 1';

/** Runs inside the transaction that holds the lock of the first operator. */
export const FIND_OPERATOR = 'SELECT 1 FROM credentials WHERE operator LIMIT 1';

export const INSERT_USER = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('users')} (id, email, operator, created_at) VALUES ($1, $2, $3, $4)`;

export const INSERT_MEMBERSHIP = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('memberships')} (user_id, workspace_id, joined_at) VALUES ($1, $2, $3)`;

export const INSERT_MEMBER = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('memberships')} (user_id, workspace_id, role, joined_at) VALUES ($1, $2, $3, $4)`;

export const UPDATE_MEMBER_ROLE = ({ table }: ProjectionTables) =>
  `UPDATE ${table('memberships')} SET role = $3 WHERE user_id = $1 AND workspace_id = $2`;

export const DELETE_MEMBER = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('memberships')} WHERE user_id = $1 AND workspace_id = $2`;

export const INSERT_WORKSPACE = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('workspaces')} (id, name, created_at) VALUES ($1, $2, $3)`;

export const DELETE_MEMBERS_OF = ({ table }: ProjectionTables) =>
  `DELETE FROM ${table('memberships')} WHERE workspace_id = $1`;

export const DELETE_WORKSPACE = ({ table }: ProjectionTables) => `DELETE FROM ${table('workspaces')} WHERE id = $1`;

export const RENAME_WORKSPACE = ({ table }: ProjectionTables) =>
  `UPDATE ${table('workspaces')} SET name = $2 WHERE id = $1`;
