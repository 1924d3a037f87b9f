export const COUNT_ERASED_ROWS = `INSERT INTO event_store.erased_rows AS known (noted_as, kind, rows)
  SELECT $1, kind, rows FROM unnest($2::text[], $3::bigint[]) AS counted (kind, rows)
  ON CONFLICT (noted_as, kind) DO UPDATE SET rows = known.rows + excluded.rows`;

export const NOTE_REBUILDS = `INSERT INTO event_store.erasure_rebuilds (noted_as, projection, generation)
  SELECT $1, name, max(generation) FROM event_store.projections WHERE name = ANY ($2) GROUP BY name
  ON CONFLICT (noted_as, projection) DO UPDATE SET generation = excluded.generation`;

export const SELECT_ERASED_ROWS = 'SELECT kind, rows FROM event_store.erased_rows WHERE noted_as = $1 ORDER BY kind';

export const SELECT_REBUILDS = `SELECT r.projection, p.generation > r.generation AS rebuilt FROM event_store.erasure_rebuilds r
  JOIN event_store.projections p ON p.name = r.projection AND p.live
  WHERE r.noted_as = $1 ORDER BY r.projection`;

export const DELETE_FINISHED_REBUILDS = `DELETE FROM event_store.erasure_rebuilds r USING event_store.projections p
  WHERE r.noted_as = $1 AND r.projection = ANY ($2) AND p.name = r.projection AND p.live
    AND p.generation > r.generation`;

export const SELECT_UNREAD_BY = `SELECT reader FROM event_store.readers
  WHERE epoch = (SELECT epoch FROM event_store.logs ORDER BY number DESC LIMIT 1)
    AND (txid, pos) < ($1::xid8, $2::bigint) AND asked_at > now() - make_interval(secs => $3::float / 1000)
  ORDER BY reader LIMIT 1`;

export const SELECT_CHANGED_TABLES = `SELECT DISTINCT to_regclass(CASE kind WHEN 'events' THEN 'event_store.events' ELSE quote_ident(kind) END)::text
    AS name
  FROM event_store.erased_rows
  WHERE noted_as = $1 AND to_regclass(CASE kind WHEN 'events' THEN 'event_store.events' ELSE quote_ident(kind) END)
    IS NOT NULL`;
