/** After a restart of PostgreSQL, live processes need a moment to take their locks again and to record their outcomes. */
export const GRACE_AFTER_RESTART_S = 15;

/** The condition that PostgreSQL has run for longer than a number of seconds, given as a parameter such as `$2`. */
export const hasRunFor = (seconds: string): string =>
  `now() - pg_postmaster_start_time() > make_interval(secs => ${seconds})`;
