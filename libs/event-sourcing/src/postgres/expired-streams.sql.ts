/** The next `$3` streams between two ids, in the order of their ids, which begin with the time. */
export const FIND_EXPIRED_STREAMS = `SELECT stream_id FROM event_store.events
  WHERE stream_id > $1 AND stream_id < $2 AND version = 1 ORDER BY stream_id LIMIT $3`;

/**
 * Whether a projection or a consumer that still asks has not read past all events of the streams `$1`, or a projection is
 * being rebuilt. A position stays at the last event that was read, so that event is kept.
 */
export const IS_NEEDED = `
  WITH last AS (
    SELECT txid, pos FROM event_store.events WHERE stream_id = ANY ($1::text[])
    ORDER BY events.txid DESC, events.pos DESC LIMIT 1
  )
  SELECT EXISTS (SELECT FROM event_store.projections WHERE NOT live)
    OR EXISTS (SELECT FROM event_store.projections AS p, last WHERE p.live AND (p.txid, p.pos) <= (last.txid, last.pos))
    OR EXISTS (
      SELECT FROM event_store.readers AS r, last
      WHERE r.epoch = (SELECT epoch FROM event_store.logs ORDER BY number DESC LIMIT 1)
        AND r.asked_at > now() - interval '7 days' AND (r.txid, r.pos) <= (last.txid, last.pos)
    ) AS needed`;

export const DELETE_EXPIRED = 'DELETE FROM event_store.events WHERE stream_id = ANY ($1::text[])';
