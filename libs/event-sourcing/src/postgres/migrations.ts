/**
 * The tables of this library, in their own schema. Each entry runs once, in order; a released entry is never edited.
 */
export const MIGRATIONS: readonly string[] = [
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

  -- An erasure, and the deletion of the events of a deleted owner, say so for their own transaction.
  CREATE FUNCTION event_store.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('event_store.erasing', true) = 'on' THEN RETURN NULL; END IF;
    IF TG_OP = 'DELETE' AND current_setting('event_store.deleting', true) = 'on' THEN RETURN NULL; END IF;
    RAISE EXCEPTION 'events are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON event_store.events
    FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_change();

  -- The id of a stream may hold what has to be erased as well.
  CREATE FUNCTION event_store.refuse_change_beyond_data() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF to_jsonb(NEW) - 'data' - 'stream_id' IS DISTINCT FROM to_jsonb(OLD) - 'data' - 'stream_id' THEN
      RAISE EXCEPTION 'events are append-only: an erasure changes data and stream_id alone'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER erasures_change_data_alone BEFORE UPDATE ON event_store.events
    FOR EACH ROW EXECUTE FUNCTION event_store.refuse_change_beyond_data();

  -- plpgsql, because each of its statements takes a snapshot of its own: the heads are read after the locks are held.
  -- A statement sees one head per stream, so the second append to a stream is of the second round, and so on; all
  -- rounds are one transaction.
  CREATE FUNCTION event_store.append(
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

  CREATE TABLE event_store.erasures (
    noted_as  text PRIMARY KEY,
    events    integer NOT NULL,
    at        timestamptz NOT NULL DEFAULT now()
  );

  -- What erasures have changed, by kind, and the read models that were folded from what they rewrote.
  CREATE TABLE event_store.erased_rows (
    noted_as  text NOT NULL,
    kind      text NOT NULL,
    rows      bigint NOT NULL,
    PRIMARY KEY (noted_as, kind)
  );
  CREATE TABLE event_store.erasure_rebuilds (
    noted_as    text NOT NULL,
    projection  text NOT NULL,
    generation  integer NOT NULL,
    PRIMARY KEY (noted_as, projection)
  );

  -- Events of other services that a consumer could not handle, until they are handled or discarded.
  CREATE TABLE event_store.set_aside_events (
    consumer      text NOT NULL,
    event_id      uuid NOT NULL,
    type          text NOT NULL,
    envelope      jsonb NOT NULL,
    failures      integer NOT NULL,
    last_error    text NOT NULL,
    set_aside_at  timestamptz NOT NULL DEFAULT now(),
    retry_at      timestamptz NOT NULL,
    PRIMARY KEY (consumer, event_id)
  );
  CREATE INDEX set_aside_events_due ON event_store.set_aside_events (consumer, retry_at);

  -- Owners whose events are deleted, and where the present pass continues.
  CREATE TABLE event_store.deleted_owners (
    owner       text PRIMARY KEY,
    deleted_at  timestamptz NOT NULL DEFAULT now(),
    passes      integer NOT NULL DEFAULT 0,
    due_at      timestamptz,
    txid        xid8,
    pos         bigint
  );
  CREATE INDEX deleted_owners_due ON event_store.deleted_owners (due_at);

  -- Commands that were sent with a key, and their answers. A transaction of the command sets carried_out.
  CREATE TABLE event_store.command_claims (
    caller       text NOT NULL,
    key          text NOT NULL,
    fingerprint  text NOT NULL,
    token        uuid NOT NULL,
    claimed_at   timestamptz NOT NULL DEFAULT now(),
    lease_until  timestamptz NOT NULL,
    carried_out  boolean NOT NULL DEFAULT false,
    answer       text,
    PRIMARY KEY (caller, key)
  );
  CREATE INDEX command_claims_by_age ON event_store.command_claims (claimed_at);

  -- What one process at a time holds, until a time by the clock of PostgreSQL; the token rises with each holder.
  CREATE TABLE event_store.leases (
    name        text PRIMARY KEY,
    token       bigint NOT NULL,
    since       timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    -- The process that holds it, as its kernel identifies it; null if it does not.
    holder      text
  );

  -- Differs after a restore into another database, table or cluster, and after a promotion or a recovery to a time.
  CREATE FUNCTION event_store.log_identity() RETURNS text LANGUAGE plpgsql STABLE AS $$
  DECLARE
    own text := concat((SELECT oid FROM pg_database WHERE datname = current_database()), '/', 'event_store.events'::regclass::oid);
  BEGIN
    RETURN concat((SELECT system_identifier FROM pg_control_system()), '/',
      left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), '/', own);
  EXCEPTION WHEN insufficient_privilege OR feature_not_supported THEN
    RETURN own;
  END $$;

  -- One row for each log: the first, and one after each restore. The highest number is the present log.
  CREATE TABLE event_store.logs (
    number    integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    epoch     uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    identity  text NOT NULL,
    cause     text NOT NULL,
    began_at  timestamptz NOT NULL DEFAULT now()
  );
  INSERT INTO event_store.logs (identity, cause) VALUES (event_store.log_identity(), 'created');

  -- Up to where each consumer has read each log; everything up to there is committed in its database.
  CREATE TABLE event_store.readers (
    reader    text NOT NULL,
    epoch     uuid NOT NULL,
    txid      xid8 NOT NULL,
    pos       bigint NOT NULL,
    event_id  uuid,
    asked_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (reader, epoch)
  );

  -- The positions of the consumers of this service in the logs of other services.
  CREATE TABLE event_store.followers (
    consumer      text NOT NULL,
    source        text NOT NULL,
    epoch         uuid,
    txid          xid8 NOT NULL DEFAULT '0',
    pos           bigint NOT NULL DEFAULT 0,
    event_id      uuid,
    moved_at      timestamptz NOT NULL DEFAULT now(),
    restarted_at  timestamptz,
    PRIMARY KEY (consumer, source)
  );
  `,
];
