const LOCK = "hashtextextended('postern leader ' || $1, 0)";

export const IS_LED = `SELECT EXISTS (
    SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND (l.classid::bigint << 32 | l.objid::bigint) = ${LOCK}
  ) AS led`;

export const TRY_LOCK = `SELECT pg_try_advisory_lock(${LOCK}) AS led`;

export const UNLOCK = `SELECT pg_advisory_unlock(${LOCK})`;
