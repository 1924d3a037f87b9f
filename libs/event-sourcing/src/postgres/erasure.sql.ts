export const SELECT_HELD_EVENTS = `SELECT e.txid::text AS txid, e.pos::text AS pos, e.stream_id, e.type, e.data FROM event_store.events e
  JOIN unnest($1::text[], $2::bigint[]) AS found (txid, pos) ON e.txid = found.txid::xid8 AND e.pos = found.pos
  ORDER BY e.txid, e.pos FOR UPDATE OF e`;

export const UPDATE_EVENTS = `UPDATE event_store.events AS e SET data = fresh.data
  FROM unnest($1::text[], $2::bigint[], $3::jsonb[]) AS fresh (txid, pos, data)
  WHERE e.txid = fresh.txid::xid8 AND e.pos = fresh.pos`;

export const COUNT_ERASED_EVENTS = `INSERT INTO event_store.erasures AS known (noted_as, events) VALUES ($1, $2)
  ON CONFLICT (noted_as) DO UPDATE SET events = known.events + excluded.events, at = now()`;

export const RENAME_STREAMS = `UPDATE event_store.events AS e SET stream_id = fresh.stream_id || '/' || first.id
  FROM unnest($1::text[], $2::text[]) AS fresh (old, stream_id)
  JOIN event_store.events AS first ON first.stream_id = fresh.old AND first.version = 1
  WHERE e.stream_id = fresh.old`;

export const SELECT_PAGE_END = `SELECT e.txid::text AS txid, e.pos::text AS pos FROM event_store.events e
  WHERE (e.txid, e.pos) > ($1::xid8, $2::bigint) ORDER BY e.txid, e.pos OFFSET $3 LIMIT 1`;

export const SELECT_PAGE = `SELECT e.txid::text AS txid, e.pos::text AS pos, e.stream_id, e.type, e.data FROM event_store.events e
  WHERE (e.txid, e.pos) > ($1::xid8, $2::bigint) AND ($3::text IS NULL OR (e.txid, e.pos) <= ($3::xid8, $4::bigint))
    AND EXISTS (SELECT FROM unnest($5::text[]) AS trace WHERE strpos(lower(e.data::text COLLATE "C"), trace) > 0
      OR strpos(lower(to_json(e.stream_id)::text COLLATE "C"), trace) > 0)
  ORDER BY e.txid, e.pos`;
