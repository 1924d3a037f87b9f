/** The migration that lets `event_store.append` begin streams with a plain INSERT. */
export const APPEND_BEGINS_STREAMS = `
  CREATE OR REPLACE FUNCTION event_store.append(
    rounds integer[], streams text[], expected integer[], metadata jsonb[], occurred timestamptz,
    owners integer[], numbers integer[], ids uuid[], types text[], data jsonb[]
  ) RETURNS TABLE (append_index integer, head integer, admitted boolean, txid text, positions text[])
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN
    -- In one order for everybody, so that two appends never wait for each other; and before the first write, so that
    -- within a stream the order of transactions is the order of versions.
    PERFORM pg_advisory_xact_lock(key)
    FROM (SELECT DISTINCT hashtextextended(stream, 0) AS key FROM unnest(streams) AS stream ORDER BY 1) AS keys;

    -- One event each begins streams of their own, as most appends do: nobody has written to them before, and the unique key
    -- decides between two that begin the same one.
    IF 0 = ALL (expected) AND 1 = ALL (rounds) AND cardinality(ids) = cardinality(streams) AND 1 = ALL (numbers) THEN
      RETURN QUERY
      WITH inserted AS (
        INSERT INTO event_store.events AS e (stream_id, version, id, type, data, metadata, occurred_at)
        SELECT streams[n.owner], 1, n.id, n.type, n.data, metadata[n.owner], occurred
        FROM unnest(owners, ids, types, data) WITH ORDINALITY AS n (owner, id, type, data, line)
        ORDER BY n.line
        ON CONFLICT DO NOTHING
        RETURNING e.stream_id, e.pos
      )
      SELECT i, CASE WHEN w.pos IS NULL
          THEN coalesce((SELECT max(e.version) FROM event_store.events e WHERE e.stream_id = streams[i]), 1) ELSE 0 END,
        w.pos IS NOT NULL, pg_current_xact_id()::text, CASE WHEN w.pos IS NULL THEN '{}'::text[] ELSE ARRAY[w.pos::text] END
      FROM generate_subscripts(streams, 1) AS i LEFT JOIN inserted w ON w.stream_id = streams[i];
      RETURN;
    END IF;

    -- A caller that wrote before it held the locks has an older transaction than its predecessor in the stream may
    -- have; the feed would show the two in the wrong order. A new transaction is in order again.
    IF pg_current_xact_id_if_assigned() IS NOT NULL AND EXISTS (
      SELECT FROM unnest(streams) AS stream
      CROSS JOIN LATERAL (
        SELECT e.txid FROM event_store.events e WHERE e.stream_id = stream ORDER BY e.version DESC LIMIT 1
      ) AS last
      WHERE last.txid > pg_current_xact_id()
    ) THEN
      RAISE EXCEPTION 'a younger transaction has written to the stream; try again'
        USING ERRCODE = 'serialization_failure', HINT = 'Lock the streams before the first write of the transaction.';
    END IF;

    FOR round IN 1..(SELECT max(r) FROM unnest(rounds) AS r) LOOP
      RETURN QUERY
      WITH heads AS (
        SELECT i, coalesce((SELECT max(e.version) FROM event_store.events e WHERE e.stream_id = streams[i]), 0) AS version
        FROM generate_subscripts(streams, 1) AS i WHERE rounds[i] = round
      ), granted AS (
        SELECT i, version FROM heads WHERE expected[i] IS NULL OR expected[i] = version
      ), inserted AS (
        INSERT INTO event_store.events AS e (stream_id, version, id, type, data, metadata, occurred_at)
        SELECT streams[n.owner], g.version + n.number, n.id, n.type, n.data, metadata[n.owner], occurred
        FROM unnest(owners, numbers, ids, types, data) WITH ORDINALITY AS n (owner, number, id, type, data, line)
        JOIN granted g ON g.i = n.owner
        ORDER BY n.line
        RETURNING e.stream_id, e.version, e.pos
      ), written AS (
        SELECT stream_id, array_agg(pos::text ORDER BY version) AS positions FROM inserted GROUP BY stream_id
      )
      SELECT h.i, h.version, g.i IS NOT NULL, pg_current_xact_id()::text, coalesce(w.positions, '{}')
      FROM heads h LEFT JOIN granted g ON g.i = h.i LEFT JOIN written w ON w.stream_id = streams[h.i] AND g.i IS NOT NULL;
    END LOOP;
  END $$;
`;
