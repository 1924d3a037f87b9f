import { APPEND_BEGINS_STREAMS } from './append-begins-streams.js';

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

  CREATE FUNCTION event_store.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'events are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON event_store.events
    FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_change();

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
    saved_at         timestamptz NOT NULL DEFAULT now(),
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
  `
  -- An erasure says so for its own transaction, and changes nothing but data.
  CREATE OR REPLACE FUNCTION event_store.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('event_store.erasing', true) = 'on' THEN RETURN NULL; END IF;
    RAISE EXCEPTION 'events are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE FUNCTION event_store.refuse_change_beyond_data() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF to_jsonb(NEW) - 'data' IS DISTINCT FROM to_jsonb(OLD) - 'data' THEN
      RAISE EXCEPTION 'events are append-only: an erasure changes data alone' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER erasures_change_data_alone BEFORE UPDATE ON event_store.events
    FOR EACH ROW EXECUTE FUNCTION event_store.refuse_change_beyond_data();

  CREATE TABLE event_store.erasures (
    noted_as  text PRIMARY KEY,
    events    integer NOT NULL,
    at        timestamptz NOT NULL DEFAULT now()
  );
  `,
  `
  -- What keeps the leader from publishing, for whichever replica is asked.
  ALTER TABLE event_store.outbox ADD COLUMN blocked_condition text, ADD COLUMN blocked_reason text,
    ADD COLUMN blocked_since timestamptz;
  -- Events before this position are published once more, under other message ids: the broker drops known ids.
  ALTER TABLE event_store.outbox ADD COLUMN repeat_txid xid8, ADD COLUMN repeat_pos bigint, ADD COLUMN repeat_id text;
  -- The first sequence that the broker's stream is known to hold.
  ALTER TABLE event_store.outbox ADD COLUMN broker_first bigint;

  -- What consumers found missing in the broker's stream, until the leader has gone back for it.
  CREATE TABLE event_store.outbox_gaps (
    name            text NOT NULL,
    consumer        text NOT NULL,
    broker_created  text NOT NULL,
    first_sequence  bigint NOT NULL,
    last_sequence   bigint NOT NULL,
    reported_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, consumer, broker_created, first_sequence)
  );
  `,
  `
  -- What erasures have changed, by kind, and the read models that were folded from what they rewrote.
  CREATE TABLE event_store.erased_rows (
    noted_as  text NOT NULL,
    kind      text NOT NULL,
    rows      bigint NOT NULL,
    PRIMARY KEY (noted_as, kind)
  );
  -- The id of a stream may hold what has to be erased as well.
  CREATE OR REPLACE FUNCTION event_store.refuse_change_beyond_data() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF to_jsonb(NEW) - 'data' - 'stream_id' IS DISTINCT FROM to_jsonb(OLD) - 'data' - 'stream_id' THEN
      RAISE EXCEPTION 'events are append-only: an erasure changes data and stream_id alone'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TABLE event_store.erasure_rebuilds (
    noted_as    text NOT NULL,
    projection  text NOT NULL,
    generation  integer NOT NULL,
    PRIMARY KEY (noted_as, projection)
  );
  `,
  `
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
  `,
  `
  -- The events of a deleted owner may be deleted, by a transaction that says so.
  CREATE OR REPLACE FUNCTION event_store.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('event_store.erasing', true) = 'on' THEN RETURN NULL; END IF;
    IF TG_OP = 'DELETE' AND current_setting('event_store.deleting', true) = 'on' THEN RETURN NULL; END IF;
    RAISE EXCEPTION 'events are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$;

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
  `,
  `
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
    `,
  `
  -- What one process at a time holds, until a time by the clock of PostgreSQL; the token rises with each holder.
  CREATE TABLE event_store.leases (
    name        text PRIMARY KEY,
    token       bigint NOT NULL,
    since       timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL
  );
  `,
  `
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
  `
  -- Positions are saved with the effects of their events, so nothing has to be recognised as known.
  DROP TABLE event_store.inbox;
  DROP TABLE event_store.outbox, event_store.outbox_trail, event_store.outbox_gaps;
  `,
  APPEND_BEGINS_STREAMS,
  `
  -- The token, and the process that holds the lease as its kernel identifies it; null if it does not.
  ALTER TABLE event_store.leases ADD COLUMN holder text;
  `,
];
