import { describe, expect, it } from '@jest/globals';
import { BEGINNING, comparePositions, type Position, type RecordedEvent } from '../event.js';
import { GroupCommit } from '../group-commit.js';
import { counted, freshStores, metadata } from '../testing/store-under-test.js';
import { feedEnd } from './feed.js';
import { appendAll, inTransaction, latestPosition, lockStreams, type PostgresEventStore, readFeed } from './index.js';

const stores = freshStores();

/** Follows the feed in small pages until it has seen `total` events. */
const follow = async (store: PostgresEventStore, total: number): Promise<RecordedEvent[]> => {
  const seen: RecordedEvent[] = [];
  for (let position: Position = BEGINNING; seen.length < total; ) {
    const page = await readFeed(store.pool, position, 17);
    seen.push(...page.events);
    position = page.position;
  }
  return seen;
};

const versionsByStream = (events: readonly RecordedEvent[]) =>
  [...Map.groupBy(events, event => event.streamId).values()].map(own => own.map(({ version }) => version));

describe('the feed', () => {
  it('never skips an event and keeps the order of every stream under concurrent writers', async () => {
    const { store, pool, url } = await stores.fresh();
    const otherProcess = stores.connect(url);
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; n < 25; n++) {
        const streams = [(writer + n) % 7, (writer * 3 + n) % 7].map(stream => `stream-${stream}`);
        if (writer % 3 === 0) {
          await store.append(streams[0] as string, counted(n), { expectedVersion: 'any', metadata });
          await store.append(streams[1] as string, counted(n), { expectedVersion: 'any', metadata });
        } else {
          // A transaction over several streams, held open for a few round trips.
          await inTransaction(writer % 3 === 1 ? pool : otherProcess, async client => {
            await lockStreams(client, streams);
            await client.query('SELECT pg_sleep(0.002)');
            await appendAll(
              client,
              streams.map(streamId => ({ streamId, events: counted(n), expectedVersion: 'any' as const, metadata })),
            );
            await client.query('SELECT pg_sleep(0.001)');
          });
        }
      }
    };
    const total = 9 * 25 * 2;
    const readers = [follow(store, total), follow(store, total)];
    await Promise.all(Array.from({ length: 9 }, (_, writer) => write(writer)));

    for (const seen of await Promise.all(readers)) {
      expect(new Set(seen.map(({ id }) => id)).size).toBe(total);
      for (const versions of versionsByStream(seen)) expect(versions).toEqual(versions.map((_, index) => index + 1));
      expect(seen.every((event, n) => n === 0 || comparePositions(seen[n - 1]!.position, event.position) < 0)).toBe(
        true,
      );
    }
  });

  it('keeps its order when transaction ids and numbers gain a digit', async () => {
    const { store, pool } = await stores.fresh();
    await pool.query('CREATE TABLE burnt (n integer)');
    const burn = (count: number) =>
      pool.query(`DO $$ BEGIN FOR n IN 1..${count} LOOP
        BEGIN INSERT INTO burnt VALUES (n); EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END $$`);
    const { rows } = await pool.query<{ txid: string }>('SELECT pg_current_xact_id()::text AS txid');
    const txid = Number(rows[0]?.txid);
    await burn(10 ** String(txid).length - txid - 8);
    for (let n = 1; n <= 15; n++) await store.append(`s${n % 3}`, counted(n), { expectedVersion: 'any', metadata });
    await store.append('many', counted(...Array.from({ length: 120 }, (_, n) => 16 + n)), {
      expectedVersion: 'none',
      metadata,
    });
    const seen = await follow(store, 135);
    expect(seen.map(({ data }) => (data as { n: number }).n)).toEqual(Array.from({ length: 135 }, (_, n) => n + 1));
    expect(seen[0]!.position.txid.length).toBeLessThan(seen.at(-1)!.position.txid.length);
  });

  it('waits for a transaction that started earlier, however late it commits', async () => {
    const { store, pool } = await stores.fresh();
    const client = await pool.connect();
    await client.query('BEGIN');
    await appendAll(client, [{ streamId: 'slow', events: counted(1), expectedVersion: 'none', metadata }]);
    const fast = await store.append('fast', counted(2), { expectedVersion: 'none', metadata });

    expect((await readFeed(pool, BEGINNING, 10)).events).toEqual([]);
    expect(await latestPosition(pool)).toEqual(fast.position);
    await client.query('COMMIT');
    client.release();
    expect((await readFeed(pool, BEGINNING, 10)).events.map(({ streamId }) => streamId)).toEqual(['slow', 'fast']);
  });

  it('does not wait for a transaction of another database', async () => {
    const { store, pool } = await stores.fresh();
    const other = await stores.fresh();
    const client = await other.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
      const { position } = await store.append('fast', counted(1), { expectedVersion: 'none', metadata });
      const page = await readFeed(pool, BEGINNING, 10);
      expect(page.events.map(({ streamId }) => streamId)).toEqual(['fast']);
      expect(page.hidden).toBe(false);
      expect(await feedEnd(pool)).toEqual(position);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('does not wait for another database when its role cannot see other sessions', async () => {
    const { store, pool, url } = await stores.fresh();
    const other = await stores.fresh();
    await pool.query(
      `DO $$ BEGIN CREATE ROLE feed_reader LOGIN PASSWORD 'reader'; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    );
    await pool.query('GRANT USAGE ON SCHEMA event_store TO feed_reader');
    await pool.query('GRANT SELECT ON ALL TABLES IN SCHEMA event_store TO feed_reader');
    const readerUrl = new URL(url);
    readerUrl.username = 'feed_reader';
    readerUrl.password = 'reader';
    const reader = stores.connect(readerUrl.toString());
    const client = await other.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
      await store.append('fast', counted(1), { expectedVersion: 'none', metadata });
      expect((await readFeed(reader, BEGINNING, 10)).events).toHaveLength(1);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('shows every event once and in order while several databases of the cluster write', async () => {
    const { store, pool } = await stores.fresh();
    const other = await stores.fresh();
    const WRITERS = 8;
    const EACH = 40;
    const waitInDatabase = (client: { query: (text: string) => Promise<unknown> }) =>
      client.query(`SELECT pg_sleep(${Math.random() * 0.004})`);
    let done = false;
    /** Begins, gets its transaction id, appends and commits, with random pauses in between. */
    const write = async (writer: number) => {
      for (let n = 0; n < EACH; n++)
        await inTransaction(pool, async client => {
          await waitInDatabase(client);
          const streams = [`own-${writer}`, `shared-${n % 3}`];
          if (n % 2 === 0) await lockStreams(client, streams);
          await appendAll(client, [
            { streamId: `own-${writer}`, events: counted(n), expectedVersion: 'any', metadata },
            ...(n % 2 === 0
              ? [{ streamId: `shared-${n % 3}`, events: counted(n), expectedVersion: 'any' as const, metadata }]
              : []),
          ]);
          await waitInDatabase(client);
          if (n % 7 === 3) await client.query('SAVEPOINT s; SELECT pg_current_xact_id(); RELEASE SAVEPOINT s');
        });
    };
    const disturb = async () => {
      while (!done)
        await inTransaction(other.pool, async client => {
          await appendAll(client, [{ streamId: 'noise', events: counted(1), expectedVersion: 'any', metadata }]);
          await client.query(`SELECT pg_sleep(${Math.random() * 0.05})`);
        });
    };
    const total = WRITERS * (EACH + EACH / 2);
    const readers = [follow(store, total), follow(store, total), follow(store, total)];
    const noise = [disturb(), disturb()];
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    const seen = await Promise.all(readers);
    done = true;
    await Promise.all(noise);
    for (const events of seen) {
      expect(new Set(events.map(({ id }) => id)).size).toBe(total);
      for (const versions of versionsByStream(events)) expect(versions).toEqual(versions.map((_, index) => index + 1));
    }
  }, 60_000);

  it('shows only the requested types, with the position after all events', async () => {
    const { store, pool } = await stores.fresh();
    await store.append('a', [...counted(1), { type: 'other', data: {} }], { expectedVersion: 'none', metadata });
    const page = await readFeed(pool, BEGINNING, 10, { types: ['test.counted.v1'] });
    expect(page.events).toHaveLength(1);
    expect(page.position).toEqual(await latestPosition(pool));
  });

  it('finds events that an upcaster translates into a requested type', async () => {
    const upcasters = { 'test.old.v1': () => ({ type: 'test.new.v2', data: { fresh: true } }) };
    const { store, pool } = await stores.fresh(upcasters);
    await store.append('a', [{ type: 'test.old.v1', data: {} }], { expectedVersion: 'none', metadata });
    expect((await readFeed(pool, BEGINNING, 10, { types: ['test.new.v2'], upcasters })).events).toMatchObject([
      { type: 'test.new.v2', data: { fresh: true } },
    ]);
    expect((await readFeed(pool, BEGINNING, 10, { types: ['test.old.v1'], upcasters })).events).toEqual([]);
    expect(await store.readStream('a')).toMatchObject([{ type: 'test.new.v2' }]);
  });
});

describe('a transaction of a service', () => {
  it('that wrote before it locked the stream never follows a younger one in the feed', async () => {
    const { store, pool } = await stores.fresh();
    const write = () =>
      inTransaction(pool, async client => {
        await client.query('SELECT pg_current_xact_id()');
        if ((await store.readStream('a')).length === 0)
          await store.append('a', counted(1), { expectedVersion: 'none', metadata });
        return appendAll(client, [{ streamId: 'a', events: counted(2), expectedVersion: 'any', metadata }]);
      });
    await expect(write()).rejects.toMatchObject({ code: '40001' });
    expect(await write()).toMatchObject([{ version: 2 }]);
  });

  it('is retried by its group commit after such a conflict', async () => {
    const { store, pool } = await stores.fresh();
    let runs = 0;
    const group = new GroupCommit<number, number>({
      flush: items =>
        inTransaction(pool, async client => {
          await client.query('SELECT pg_current_xact_id()');
          if (runs++ === 0) await store.append('a', counted(1), { expectedVersion: 'none', metadata });
          await appendAll(client, [{ streamId: 'a', events: counted(...items), expectedVersion: 'any', metadata }]);
          return items;
        }),
    });
    expect(await group.submit(2)).toBe(2);
    expect((await store.readStream('a')).map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(runs).toBe(2);
  });

  it('appends several times to one stream, each time at the next version', async () => {
    const { store, pool } = await stores.fresh();
    const to = (streamId: string, expectedVersion: number | 'none' | 'any', ...numbers: number[]) => ({
      streamId,
      expectedVersion,
      events: counted(...numbers),
      metadata,
    });
    const results = await appendAll(pool, [
      to('a', 'none', 1, 2),
      to('b', 'any', 3),
      to('a', 2, 4),
      to('a', 2, 5),
      to('a', 'any', 6),
    ]);
    expect(results).toMatchObject([
      { version: 2 },
      { version: 1 },
      { version: 3 },
      { name: 'ConcurrencyConflict', actual: 3 },
      { version: 4 },
    ]);
    const history = await store.readStream('a');
    expect(history.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }, { n: 4 }, { n: 6 }]);
    expect(new Set([...history, ...(await store.readStream('b'))].map(({ position }) => position.txid)).size).toBe(1);
  });

  it('stores nothing when one row cannot be stored; a group rejects only that row', async () => {
    const { store, pool } = await stores.fresh();
    await pool.query(`ALTER TABLE event_store.events ADD CHECK (data->>'n' <> '13')`);
    const both = [12, 13].map(n => ({
      streamId: `s${n}`,
      events: counted(n),
      expectedVersion: 'none' as const,
      metadata,
    }));
    await expect(appendAll(pool, both)).rejects.toMatchObject({ code: '23514' });
    expect(await store.readStream('s12')).toEqual([]);

    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => store.append(`s${n}`, counted(n), { expectedVersion: 'none', metadata })),
    );
    expect(outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([13]);
    expect((await readFeed(pool, BEGINNING, 100)).events).toHaveLength(19);
  });
});
