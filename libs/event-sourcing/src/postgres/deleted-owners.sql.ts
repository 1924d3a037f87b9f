/** Records a deleted owner `$1`, whose first pass is due after `$2` seconds; does nothing if it is already recorded. */
export const RECORD_OWNER = `INSERT INTO event_store.deleted_owners (owner, due_at)
  VALUES ($1, now() + make_interval(secs => $2)) ON CONFLICT DO NOTHING`;

export const FIND_DUE_OWNERS = `SELECT owner, passes, txid::text AS txid, pos::text AS pos
  FROM event_store.deleted_owners WHERE due_at <= now() ORDER BY due_at`;

export const SAVE_PLACE = 'UPDATE event_store.deleted_owners SET txid = $2::xid8, pos = $3::bigint WHERE owner = $1';

/** Ends a pass. The next one is due `$2` seconds after the deletion; null after the last pass. */
export const END_PASS = `UPDATE event_store.deleted_owners SET passes = passes + 1, txid = NULL, pos = NULL,
  due_at = deleted_at + make_interval(secs => $2) WHERE owner = $1`;

/** Streams of a page of the feed, after `$1`, `$2` up to `$3`, `$4`, with an event whose field `$5` is the owner `$6`. */
export const FIND_STREAMS_OF_OWNER = `SELECT DISTINCT e.stream_id FROM event_store.events e
  WHERE (e.txid, e.pos) > ($1::xid8, $2::bigint) AND ($3::text IS NULL OR (e.txid, e.pos) <= ($3::xid8, $4::bigint))
    AND e.data ->> $5::text = $6 AND e.type <> ALL ($7::text[])`;

/** Deletes the events of the streams `$1` whose type is not in `$2`. */
export const DELETE_STREAMS =
  'DELETE FROM event_store.events WHERE stream_id = ANY ($1::text[]) AND type <> ALL ($2::text[])';

/** Deletes events of other services about the owner `$2`, named by the field `$1`, that were set aside. */
export const DELETE_SET_ASIDE = `DELETE FROM event_store.set_aside_events WHERE envelope -> 'data' ->> $1::text = $2`;
