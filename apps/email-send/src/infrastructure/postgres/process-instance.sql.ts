const INSTANCE_LOCK = `hashtextextended('email-send instance ' || $1::text, 0)`;

/** Takes the lock that a process holds while it lives. */
export const LOCK_INSTANCE = `SELECT pg_advisory_lock(${INSTANCE_LOCK})`;

/** Takes the lock of another process, if that process is dead. */
export const TRY_LOCK_INSTANCE = `SELECT pg_try_advisory_lock(${INSTANCE_LOCK}) AS dead`;
