import type { ProjectionTables } from '@postern/event-sourcing/postgres';

/** Fails to insert when the password was changed; FOR SHARE orders it against a concurrent change of password. */
export const OPEN_SESSION = `
  INSERT INTO sessions (token_hash, user_id, workspace_id, expires_at)
  SELECT $1, user_id, $3, $4 FROM credentials WHERE user_id = $2 AND password_hash = $5 FOR SHARE`;

/** Runs for every request of the dashboard. */
export const FIND_SESSION = `
  SELECT s.user_id AS "userId", s.workspace_id AS "workspaceId", c.email, c.operator,
    coalesce(q.limits, '{}') AS quotas
  FROM sessions s JOIN credentials c ON c.user_id = s.user_id
  LEFT JOIN workspace_quotas q ON q.workspace_id = s.workspace_id
  WHERE s.token_hash = $1 AND s.expires_at > now()`;

export const DELETE_EXPIRED_SESSIONS =
  'DELETE FROM sessions WHERE ctid = ANY (ARRAY(SELECT ctid FROM sessions WHERE expires_at <= now() LIMIT $1))';

/** Attempts of one source, or of all unknown devices, on one account count each other. */
export const LOCK_LOGIN_ATTEMPTS = `SELECT pg_advisory_xact_lock(hashtextextended('login ' || $1 || ' ' || $2, 0))`;

/** The time of the statement and not of the transaction, which may have waited for the lock. */
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

export const USER_EVENTS = 'SELECT type, data FROM event_store.events WHERE stream_id = $1 ORDER BY version';

export const END_SESSIONS_OF_USER = 'DELETE FROM sessions WHERE user_id = $1';

/** Runs inside the transaction that holds the lock of the first operator. */
export const FIND_OPERATOR = 'SELECT 1 FROM credentials WHERE operator LIMIT 1';

export const INSERT_USER = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('users')} (id, email, operator, created_at) VALUES ($1, $2, $3, $4)`;

export const INSERT_MEMBERSHIP = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('memberships')} (user_id, workspace_id, joined_at) VALUES ($1, $2, $3)`;

export const INSERT_WORKSPACE = ({ table }: ProjectionTables) =>
  `INSERT INTO ${table('workspaces')} (id, name, created_at) VALUES ($1, $2, $3)`;
