const NEWEST = '(SELECT number, epoch, identity FROM event_store.logs ORDER BY number DESC LIMIT 1)';

/**
 * The present log, the event at a position, and whether this log cannot have had another one there: its sequence never goes
 * back, and nothing but the deletion of an owner removes events.
 */
export const SELECT_LOG = `SELECT log.epoch, log.identity = event_store.log_identity() AS same,
    (SELECT id FROM event_store.events WHERE txid = $1::xid8 AND pos = $2::bigint) AS event_id,
    $2::bigint > (SELECT last_value FROM event_store.events_pos_seq)
      OR NOT EXISTS (SELECT FROM event_store.deleted_owners) AS complete
  FROM ${NEWEST} AS log`;

/** Excludes other replicas, but no reader. */
export const LOCK_LOGS = 'SELECT FROM event_store.logs ORDER BY number DESC LIMIT 1 FOR UPDATE';

export const SELECT_EPOCH = `SELECT epoch FROM ${NEWEST} AS log`;

export const HAS_READERS = 'SELECT FROM event_store.readers LIMIT 1';

/** Nobody has read the log, so nobody has to know. */
export const ADOPT_IDENTITY = `UPDATE event_store.logs SET identity = event_store.log_identity() WHERE epoch = $1`;

export const BEGIN_LOG = `INSERT INTO event_store.logs (identity, cause) VALUES (event_store.log_identity(), $1) RETURNING epoch`;

/**
 * Up to where a reader has certainly read what this log holds: the earliest of its positions in the logs from the one that it
 * names to the last one before the present.
 */
export const SELECT_COMMON = `WITH present AS (SELECT max(number) AS number FROM event_store.logs)
  SELECT readers.txid::text AS txid, readers.pos::text AS pos, readers.event_id
  FROM event_store.logs LEFT JOIN event_store.readers ON readers.epoch = logs.epoch AND readers.reader = $1
  WHERE logs.number < (SELECT number FROM present)
    AND logs.number >= coalesce((SELECT number FROM event_store.logs WHERE epoch = $2), (SELECT number FROM present) - 1)
  ORDER BY readers.txid NULLS FIRST, readers.pos LIMIT 1`;

export const SELECT_READER = `SELECT txid::text AS txid, pos::text AS pos, event_id FROM event_store.readers
  WHERE reader = $1 AND epoch = $2`;

export const SAVE_READER = `INSERT INTO event_store.readers (reader, epoch, txid, pos, event_id)
  VALUES ($1, $2, $3::xid8, $4::bigint, $5)
  ON CONFLICT (reader, epoch) DO UPDATE SET txid = excluded.txid, pos = excluded.pos, event_id = excluded.event_id,
    asked_at = now()`;

/** Every reader of the present log, and the age of the oldest event of its types that it has not read. */
export const SELECT_READERS = `SELECT readers.reader, readers.txid::text AS txid, readers.pos::text AS pos, readers.event_id,
    extract(epoch FROM now() - readers.asked_at)::float8 AS "askedSecondsAgo"
  FROM event_store.readers JOIN ${NEWEST} AS log ON log.epoch = readers.epoch ORDER BY readers.reader`;

export const SELECT_RESTORES = `SELECT cause, began_at AS "at" FROM event_store.logs
  WHERE number > (SELECT min(number) FROM event_store.logs) AND began_at > now() - make_interval(days => $1) ORDER BY number`;
