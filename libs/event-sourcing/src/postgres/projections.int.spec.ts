import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import type pg from 'pg';
import type { RecordedEvent } from '../event.js';
import { counted, freshStores, metadata } from '../testing/store-under-test.js';
import { latestPosition, PostgresEventStore, type Projection, ProjectionRunner } from './index.js';

const stores = freshStores();
const runners: ProjectionRunner[] = [];

afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.stop();
});

const TABLES = `
  CREATE TABLE totals (stream_id text PRIMARY KEY, total integer NOT NULL, seen integer NOT NULL);
  CREATE INDEX totals_by_total ON totals (total);
  CREATE TABLE grand_total (id boolean PRIMARY KEY, total integer NOT NULL);`;

/** Deliberately not idempotent, so that an event that is applied twice or skipped is visible. */
const totals = (change: Partial<Projection> = {}, factor = 1): Projection => ({
  name: 'totals',
  version: 1,
  tables: ['totals', 'grand_total'],
  eventTypes: ['test.counted.v1'],
  async apply(events, tx) {
    for (const { streamId, data } of events) {
      const n = (data as { n: number }).n * factor;
      await tx.query(
        `INSERT INTO ${tx.table('totals')} AS t VALUES ($1, $2, 1)
         ON CONFLICT (stream_id) DO UPDATE SET total = t.total + excluded.total, seen = t.seen + 1`,
        [streamId, n],
      );
      await tx.query(
        `INSERT INTO ${tx.table('grand_total')} AS g VALUES (true, $1) ON CONFLICT (id) DO UPDATE SET total = g.total + $1`,
        [n],
      );
    }
  },
  ...change,
});

const started = async (
  store: PostgresEventStore,
  projection = totals(),
  onError?: (name: string, error: unknown) => void,
) => {
  const runner = new ProjectionRunner({
    store,
    projections: [projection],
    batchSize: 7,
    pollMs: 20,
    ...(onError ? { onError } : {}),
  });
  runners.push(runner);
  await runner.start();
  return runner;
};

const freshReadModel = async () => {
  const made = await stores.fresh();
  await made.pool.query(TABLES);
  return made;
};

const sums = async (pool: pg.Pool) =>
  (
    await pool.query<{ seen: number; total: number; grand: number }>(
      `SELECT sum(seen)::int AS seen, sum(total)::int AS total, (SELECT total FROM grand_total) AS grand FROM totals`,
    )
  ).rows[0];

const append = (store: PostgresEventStore, stream: number, ...numbers: number[]) =>
  store.append(`s${stream}`, counted(...numbers), { expectedVersion: 'any', metadata });

describe('a projection', () => {
  it('applies each event once over several replicas, and shows a writer its own writes', async () => {
    const { store, url } = await freshReadModel();
    const elsewhere = new PostgresEventStore(stores.connect(url));
    const replicas = [await started(store), await started(elsewhere)];
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let n = 1; n <= 15; n++) {
          const { position, version } = await append(writer % 2 ? store : elsewhere, writer, 1);
          await replicas[(writer + n) % 2]!.waitUntil('totals', position);
          const { rows } = await store.pool.query('SELECT seen FROM totals WHERE stream_id = $1', [`s${writer}`]);
          expect(rows).toEqual([{ seen: version }]);
        }
      }),
    );
    expect(await sums(store.pool)).toEqual({ seen: 90, total: 90, grand: 90 });
    expect(await replicas[0]!.lag()).toEqual(new Map([['totals', 0]]));
  });

  it('passes over events of other types and still advances its position', async () => {
    const { store, url } = await freshReadModel();
    const elsewhere = new PostgresEventStore(stores.connect(url));
    const replicas = [await started(store), await started(elsewhere)];
    for (let n = 1; n <= 30; n++) {
      await store.append(`other${n}`, [{ type: 'other', data: {} }], { expectedVersion: 'none', metadata });
      if (n % 5 === 0) await append(n % 2 ? store : elsewhere, 1, 1);
      await replicas[n % 2]!.waitUntil('totals', await latestPosition(store.pool));
    }
    expect(await sums(store.pool)).toEqual({ seen: 6, total: 6, grand: 6 });
    await waitFor(async () => (await replicas[0]!.lag()).get('totals') === 0, { describe: 'no lag' });
  });

  it('applies a failed batch again as a whole', async () => {
    const { store, pool } = await freshReadModel();
    const errors: unknown[] = [];
    const whole = totals();
    const breaking = totals({
      async apply(events, tx) {
        await whole.apply(events, tx);
        if (errors.length < 2) throw new Error('half-way');
      },
    });
    const runner = await started(store, breaking, (_, error) => errors.push(error));
    const { position } = await append(store, 1, 1, 2, 3);
    await runner.waitUntil('totals', position);
    expect(await sums(pool)).toEqual({ seen: 3, total: 6, grand: 6 });
    expect(errors).toHaveLength(2);
  });

  it('rejects a caller that waits too long', async () => {
    const { store } = await freshReadModel();
    const runner = new ProjectionRunner({ store, projections: [totals()] });
    const { position } = await append(store, 1, 1);
    await expect(runner.waitUntil('totals', position, 50)).rejects.toThrow('did not reach');
    await expect(runner.rebuild('unknown')).rejects.toThrow(
      'there is no projection unknown; the projections are totals',
    );
  });

  it('survives the loss of its connections', async () => {
    const { store, pool } = await freshReadModel();
    const errors: unknown[] = [];
    let cut = false;
    const cutting = totals({
      async apply(events, tx) {
        if (!cut) {
          cut = true;
          const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
        }
        await totals().apply(events, tx);
      },
    });
    const runner = await started(store, cutting, (_, error) => errors.push(error));
    const { position } = await append(store, 1, 4);
    await runner.waitUntil('totals', position);
    expect(await sums(pool)).toEqual({ seen: 1, total: 4, grand: 4 });
    expect(errors).not.toEqual([]);
  });
});

describe('a rebuild', () => {
  const indexes = async (pool: pg.Pool) =>
    (await pool.query(`SELECT tablename, indexname FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`)).rows;

  it('serves the old generation until the new one replaces it, while others read and write', async () => {
    const { store, pool, url } = await freshReadModel();
    const before = await indexes(pool);
    const runner = await started(store);
    for (let n = 0; n < 40; n++) await append(store, n % 5, 1);
    await runner.waitUntil('totals', await latestPosition(pool));
    // Simulates wrong totals from a bug of an earlier release; the feed has the correct events.
    await pool.query('UPDATE totals SET total = total + 1000; UPDATE grand_total SET total = total + 5000');

    let busy = true;
    const reader = stores.connect(url);
    const readings: number[] = [];
    const reading = (async () => {
      while (busy) {
        const row = await sums(reader);
        // Both tables are of one generation, and none is ever missing or empty.
        expect(row?.total).toBe(row?.grand);
        readings.push(row?.seen ?? 0);
      }
    })();
    const writing = (async () => {
      for (let n = 0; busy; n++) await append(store, n % 5, 1);
    })();
    await waitFor(() => readings.length > 5, { describe: 'readings' });
    expect(await runner.rebuild('totals')).toBe(true);
    await waitFor(() => (readings.at(-1) ?? 0) > 45, { describe: 'new writes' });
    busy = false;
    await Promise.all([reading, writing]);

    expect(readings.every(seen => seen >= 40)).toBe(true);
    const { position } = await append(store, 0, 1);
    await runner.waitUntil('totals', position);
    const { rows } = await pool.query<{ events: number }>('SELECT count(*)::int AS events FROM event_store.events');
    const events = rows[0]!.events;
    expect(await sums(pool)).toEqual({ seen: events, total: events, grand: events });
    expect(await indexes(pool)).toEqual(before);
  }, 120_000);

  it('starts automatically for a newer version, once over all replicas', async () => {
    const { store, pool, url } = await freshReadModel();
    const old = await started(store);
    await old.waitUntil('totals', (await append(store, 1, 1, 2, 3)).position);

    const elsewhere = new PostgresEventStore(stores.connect(url));
    await Promise.all([started(elsewhere, totals({ version: 2 }, 10)), started(elsewhere, totals({ version: 2 }, 10))]);
    await waitFor(async () => (await sums(pool))?.total === 60, { describe: 'the new generation' });
    const versions = await pool.query('SELECT version, generation, live FROM event_store.projections');
    expect(versions.rows).toEqual([{ version: 2, generation: 2, live: true }]);
    // The older release still runs; it must not write into the rows of the newer one.
    await old.waitUntil('totals', (await append(store, 1, 4)).position);
    expect(await sums(pool)).toEqual({ seen: 4, total: 100, grand: 100 });
  });

  it('that fails leaves the live generation unchanged', async () => {
    const { store, pool } = await freshReadModel();
    let broken = false;
    const runner = await started(
      store,
      totals({
        async apply(events: readonly RecordedEvent[], tx) {
          if (broken) throw new Error('a bug of the new release');
          await totals().apply(events, tx);
        },
      }),
    );
    await runner.waitUntil('totals', (await append(store, 1, 1, 2)).position);
    broken = true;
    await expect(runner.rebuild('totals')).rejects.toThrow('a bug of the new release');
    broken = false;
    await runner.waitUntil('totals', (await append(store, 1, 3)).position);
    expect(await sums(pool)).toEqual({ seen: 3, total: 6, grand: 6 });
    expect(await runner.rebuild('totals')).toBe(true);
    expect(await sums(pool)).toEqual({ seen: 3, total: 6, grand: 6 });
  });

  it('is refused for tables with foreign keys', async () => {
    const { store, pool } = await freshReadModel();
    await pool.query('CREATE TABLE notes (stream_id text REFERENCES totals)');
    await expect((await started(store)).rebuild('totals')).rejects.toThrow('foreign key notes_stream_id_fkey');
  });

  it('yields to readers in a deadlock', async () => {
    const { store, pool } = await freshReadModel();
    const runner = await started(store);
    await runner.waitUntil('totals', (await append(store, 1, 1)).position);
    const reader = await pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT * FROM grand_total');
    const rebuilt = runner.rebuild('totals');
    await waitFor(
      async () =>
        (await pool.query("SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted")).rowCount,
      { describe: 'the rebuild to wait for the reader', intervalMs: 5 },
    );
    // Locks grand_total, then totals: the opposite order of the rebuild.
    await expect(reader.query('SELECT * FROM totals')).resolves.toMatchObject({ rowCount: 1 });
    await reader.query('COMMIT');
    reader.release();
    expect(await rebuilt).toBe(true);
  });
});
