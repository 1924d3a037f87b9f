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
