import { LEASE_IS_HELD } from './lease-is-held.js';

const until = (seconds: string): string => `clock_timestamp() + make_interval(secs => ${seconds})`;

/** Takes a lease that nobody holds, for `$2` seconds and the process `$3`. */
export const TAKE_LEASE = `
  WITH freed AS (
    UPDATE event_store.leases SET token = token + 1, since = clock_timestamp(), expires_at = ${until('$2')},
      holder = $3
    WHERE name = $1 AND NOT (${LEASE_IS_HELD})
    RETURNING token
  ), made AS (
    INSERT INTO event_store.leases (name, token, since, expires_at, holder)
    SELECT $1, 1, clock_timestamp(), ${until('$2')}, $3
    WHERE NOT EXISTS (SELECT FROM event_store.leases WHERE name = $1)
    ON CONFLICT (name) DO NOTHING
    RETURNING token
  )
  SELECT token FROM freed UNION ALL SELECT token FROM made`;

/** Extends a lease that nobody else took. */
export const RENEW_LEASE = `
  UPDATE event_store.leases SET expires_at = ${until('$3')}
  WHERE name = $1 AND token = $2`;

/** Frees a lease for the next process. */
export const RELEASE_LEASE = `
  UPDATE event_store.leases SET expires_at = '-infinity' WHERE name = $1 AND token = $2`;

/** Forgets a lease whose name nobody takes again. */
export const FORGET_LEASE = `DELETE FROM event_store.leases WHERE name = $1 AND token = $2`;

export const IS_HELD = `SELECT EXISTS (SELECT FROM event_store.leases WHERE name = $1 AND ${LEASE_IS_HELD}) AS held`;

/** Locks a lease until the end of the transaction, if the holder of the token still has it. */
export const LOCK_LEASE = `SELECT FROM event_store.leases WHERE name = $1 AND token = $2 AND ${LEASE_IS_HELD} FOR SHARE`;

/** Held leases whose holders can be identified. */
export const SELECT_HOLDERS = `
  SELECT name, token, holder FROM event_store.leases WHERE ${LEASE_IS_HELD} AND holder IS NOT NULL`;
