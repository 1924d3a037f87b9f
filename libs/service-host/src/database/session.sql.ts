/** The time by the clock of PostgreSQL, in milliseconds since the epoch. */
export const SELECT_TIME = 'SELECT extract(epoch FROM pg_catalog.clock_timestamp()) * 1000 AS ms';

/** A limit that the session asked for when it connected. */
export const SELECT_STATEMENT_TIMEOUT = `SELECT setting AS limit FROM pg_settings WHERE name = 'statement_timeout'`;
