/** How long the answer of a command is repeated. */
const HOURS = 24;
/** A claim without a sign of life of its process for this long is taken over. */
const LEASE_S = 10;

const LEASE = `make_interval(secs => ${LEASE_S})`;
const IS_EXPIRED = `claimed_at < now() - make_interval(hours => ${HOURS})`;

/**
 * Claims a key. It is taken from an expired claim, and from the same request if its process ended before it wrote anything;
 * that process cannot commit afterwards, because its token is gone.
 */
export const CLAIM = `
  INSERT INTO event_store.command_claims AS known (caller, key, fingerprint, token, lease_until)
  VALUES ($1, $2, $3, $4, now() + ${LEASE})
  ON CONFLICT (caller, key) DO UPDATE
  SET fingerprint = excluded.fingerprint, token = excluded.token, claimed_at = now(),
      lease_until = excluded.lease_until, carried_out = false, answer = NULL
  WHERE known.${IS_EXPIRED}
     OR (known.fingerprint = excluded.fingerprint AND NOT known.carried_out AND known.answer IS NULL
         AND known.lease_until < now())
  RETURNING token`;

export const FIND_CLAIM = `
  SELECT fingerprint, token, carried_out, answer, lease_until > now() AS held
  FROM event_store.command_claims WHERE caller = $1 AND key = $2`;

export const RENEW_CLAIM = `
  UPDATE event_store.command_claims SET lease_until = now() + ${LEASE}
  WHERE caller = $1 AND key = $2 AND token = $3`;

/** Whether the open transaction has written. */
export const HAS_WRITTEN = 'SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS written';

export const MARK_CARRIED_OUT = `
  UPDATE event_store.command_claims SET carried_out = true WHERE caller = $1 AND key = $2 AND token = $3`;

export const STORE_ANSWER = `
  UPDATE event_store.command_claims SET answer = $4 WHERE caller = $1 AND key = $2 AND token = $3`;

/** Gives the key back, if nothing was written under it. */
export const RELEASE_CLAIM = `
  DELETE FROM event_store.command_claims WHERE caller = $1 AND key = $2 AND token = $3 AND NOT carried_out`;

/** Its process will not answer any more. */
export const END_LEASE = `
  UPDATE event_store.command_claims SET lease_until = now() WHERE caller = $1 AND key = $2 AND token = $3`;

/** Deletes at most `$1` expired claims. */
export const PURGE_CLAIMS = `
  DELETE FROM event_store.command_claims WHERE (caller, key) IN (
    SELECT caller, key FROM event_store.command_claims WHERE ${IS_EXPIRED} LIMIT $1)`;
