const FOLLOWER = 'consumer = $1 AND source = $2';

export const SELECT_POSITION = `SELECT epoch, txid::text AS txid, pos::text AS pos, event_id FROM event_store.followers WHERE ${FOLLOWER}`;

/** Nothing when another process has moved the position. */
export const MOVE_POSITION = `INSERT INTO event_store.followers AS f (consumer, source, epoch, txid, pos, event_id, restarted_at)
  SELECT $1, $2, $3::uuid, $4::xid8, $5::bigint, $6::uuid, CASE WHEN $8 THEN now() END
  WHERE $7::uuid IS NULL OR EXISTS (SELECT FROM event_store.followers WHERE ${FOLLOWER})
  ON CONFLICT (consumer, source) DO UPDATE SET epoch = excluded.epoch, txid = excluded.txid, pos = excluded.pos,
    event_id = excluded.event_id, moved_at = now(), restarted_at = coalesce(excluded.restarted_at, f.restarted_at)
  WHERE f.event_id IS NOT DISTINCT FROM $7`;

export const SELECT_RESTARTS = `SELECT consumer, source, restarted_at AS "restartedAt" FROM event_store.followers
  WHERE restarted_at > now() - make_interval(days => $1) ORDER BY consumer, source`;
