import type pg from 'pg';

/**
 * The library's own tables, in a schema of their own beside those of the service. Each entry runs once, in order;
 * a published one is never edited.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE event_store.events (
    -- The transaction and a number: together the order of commits, which a number alone is not.
    txid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    pos          bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    stream_id    text COLLATE "C" NOT NULL,
    version      integer NOT NULL CHECK (version > 0),
    id           uuid NOT NULL,
    type         text COLLATE "C" NOT NULL,
    data         jsonb NOT NULL,
    metadata     jsonb NOT NULL,
    occurred_at  timestamptz NOT NULL,
    PRIMARY KEY (stream_id, version)
  );
  CREATE UNIQUE INDEX events_feed ON event_store.events (txid, pos);

  CREATE FUNCTION event_store.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'events are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON event_store.events
    FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_change();

  -- plpgsql, because each of its statements takes a snapshot of its own: the heads are read after the locks are held.
  CREATE FUNCTION event_store.append(
    streams text[], expected integer[],
    owners integer[], numbers integer[], ids uuid[], types text[], data jsonb[], metadata jsonb[], occurred timestamptz[]
  ) RETURNS TABLE (append_index integer, head integer, admitted boolean, last_txid text, last_pos text)
  LANGUAGE plpgsql AS $$
  BEGIN
    -- In one order for everybody, so that two appends never wait for each other; and before the first write, so that
    -- within a stream the order of transactions is the order of versions.
    PERFORM pg_advisory_xact_lock(key)
    FROM (SELECT DISTINCT hashtextextended(stream, 0) AS key FROM unnest(streams) AS stream ORDER BY 1) AS keys;
    RETURN QUERY
    WITH heads AS (
      SELECT i, coalesce((SELECT max(e.version) FROM event_store.events e WHERE e.stream_id = streams[i]), 0) AS version
      FROM generate_subscripts(streams, 1) AS i
    ), granted AS (
      SELECT i, version FROM heads WHERE expected[i] IS NULL OR expected[i] = version
    ), inserted AS (
      INSERT INTO event_store.events (stream_id, version, id, type, data, metadata, occurred_at)
      SELECT streams[n.owner], g.version + n.number, n.id, n.type, n.data, n.metadata, n.occurred_at
      FROM unnest(owners, numbers, ids, types, data, metadata, occurred)
        WITH ORDINALITY AS n (owner, number, id, type, data, metadata, occurred_at, line)
      JOIN granted g ON g.i = n.owner
      ORDER BY n.line
      RETURNING stream_id, pos
    ), ends AS (
      SELECT stream_id, max(pos) AS pos FROM inserted GROUP BY stream_id
    )
    SELECT h.i, h.version, g.i IS NOT NULL, pg_current_xact_id()::text, ends.pos::text
    FROM heads h LEFT JOIN granted g ON g.i = h.i LEFT JOIN ends ON ends.stream_id = streams[h.i];
  END $$;

  CREATE TABLE event_store.projections (
    name        text NOT NULL,
    generation  integer NOT NULL,
    live        boolean NOT NULL,
    version     integer NOT NULL,
    txid        xid8 NOT NULL,
    pos         bigint NOT NULL,
    PRIMARY KEY (name, generation)
  );
  CREATE UNIQUE INDEX projections_live ON event_store.projections (name) WHERE live;

  CREATE TABLE event_store.outbox (
    name             text PRIMARY KEY,
    txid             xid8 NOT NULL,
    pos              bigint NOT NULL,
    broker_created   text,
    broker_sequence  bigint NOT NULL
  );
  CREATE TABLE event_store.outbox_trail (
    name             text NOT NULL,
    broker_sequence  bigint NOT NULL,
    txid             xid8 NOT NULL,
    pos              bigint NOT NULL,
    PRIMARY KEY (name, broker_sequence)
  );

  CREATE TABLE event_store.inbox (
    consumer     text NOT NULL,
    event_id     uuid NOT NULL,
    received_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
  );
  CREATE INDEX inbox_by_age ON event_store.inbox USING brin (received_at);
  `,
];

/** Serialises the migrations of replicas that start together; an arbitrary number, the same for every service. */
const MIGRATION_LOCK = 7_405_113_001;

/** Brings the library's tables up to date. Safe to call from any number of replicas at once. */
export const migrateEventStore = async (pool: pg.Pool): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query('CREATE SCHEMA IF NOT EXISTS event_store');
    await client.query(
      'CREATE TABLE IF NOT EXISTS event_store.migrations (number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const { rows } = await client.query<{ applied: number }>(
      'SELECT coalesce(max(number), 0) AS applied FROM event_store.migrations',
    );
    for (let number = (rows[0]?.applied ?? 0) + 1; number <= MIGRATIONS.length; number++) {
      await client.query(MIGRATIONS[number - 1] as string);
      await client.query('INSERT INTO event_store.migrations (number) VALUES ($1)', [number]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
};
