import { LEASE_IS_HELD } from '@postern/event-sourcing/postgres';
import { DISPATCHER } from './partition-of-webhook.js';

const UNOWNED = `dispatcher IS NULL
  OR NOT EXISTS (SELECT FROM event_store.leases WHERE name = dispatcher AND ${LEASE_IS_HELD})`;

/** The partitions of the dispatcher `$1`, the number of live dispatchers, and whether any partition has none. */
export const READ_PARTITIONS = `
  SELECT coalesce(array_agg(partition ORDER BY partition) FILTER (WHERE dispatcher = $1), '{}') AS owned,
    (SELECT count(*)::int FROM event_store.leases WHERE starts_with(name, '${DISPATCHER}') AND ${LEASE_IS_HELD}) AS dispatchers,
    bool_or(${UNOWNED}) AS unowned
  FROM dispatch_partitions`;

/** Waits for dispatchers that take partitions, so that the next statement of the transaction sees what they took. */
export const LOCK_PARTITIONS = 'SELECT FROM dispatch_partitions ORDER BY partition FOR UPDATE';

/** Gives up to `$2` partitions without a live dispatcher to the dispatcher `$1`. */
export const TAKE_PARTITIONS = `
  UPDATE dispatch_partitions SET dispatcher = $1
  WHERE partition = ANY (ARRAY(SELECT partition FROM dispatch_partitions WHERE ${UNOWNED} ORDER BY partition LIMIT $2))
  RETURNING partition`;

/** Frees the partitions `$2` of the dispatcher `$1`. */
export const RELEASE_PARTITIONS =
  'UPDATE dispatch_partitions SET dispatcher = NULL WHERE dispatcher = $1 AND partition = ANY ($2::smallint[])';

/** Deletes the leases of dispatchers that died. */
export const FORGET_DISPATCHERS = `
  DELETE FROM event_store.leases
  WHERE starts_with(name, '${DISPATCHER}') AND expires_at < clock_timestamp() - interval '1 hour'`;
