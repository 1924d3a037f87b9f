/** Serializes the attempts of one source, or of all unknown devices, on one account, so that all are counted. */
export const LOCK_LOGIN_ATTEMPTS = `SELECT pg_advisory_xact_lock(hashtextextended('login ' || $1 || ' ' || $2, 0))`;

/** Uses the time of the statement, because the transaction may have waited for the lock. `$3`, `$6`: null for known devices. */
export const RECENT_FAILURES = `
  SELECT count(*) FILTER (WHERE own)::integer AS "ofSource",
    extract(epoch FROM clock_timestamp() - (array_agg(at ORDER BY at DESC) FILTER (WHERE own))[$5::integer])::float8
      AS "sinceOldestS",
    CASE WHEN $6::text IS NOT NULL THEN count(*) FILTER (WHERE wide_network = $6)::integer END AS "ofWideNetwork",
    count(*) FILTER (WHERE is_first)::integer AS "firsts",
    count(*) FILTER (WHERE $3::text IS NOT NULL AND NOT is_first)::integer AS "others",
    extract(epoch FROM clock_timestamp() - max(at) FILTER (WHERE NOT is_first))::float8 AS "sinceLatestOtherS"
  FROM (
    SELECT at, wide_network, is_first, $3::text IS NULL OR ip = $3 AS own FROM login_failures
    WHERE email = $1 AND source = $2 AND at > clock_timestamp() - make_interval(secs => $4)
  ) AS recent`;

export const RECORD_LOGIN_ATTEMPT = `
  INSERT INTO login_failures (email, ip, source, wide_network, is_first, at)
  VALUES ($1, $2, $3, $4, $5, clock_timestamp())`;

export const NETWORK_FAILURES = `
  SELECT 1 FROM login_failures WHERE ip = $1 AND at > now() - make_interval(secs => $2) LIMIT $3`;
