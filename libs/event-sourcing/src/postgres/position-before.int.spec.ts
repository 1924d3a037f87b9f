import { beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { comparePositions, type Position } from '../event.js';
import { freshStores } from '../testing/store-under-test.js';
import { positionBefore } from './position-before.js';

const stores = freshStores();
const EVENTS = 300_000;
const DAYS = 90;

interface Statement {
  readonly text: string;
  readonly values?: unknown[];
}

/** Passes queries on to the pool and records them. */
const recording = (pool: pg.Pool) => {
  const sent: Statement[] = [];
  const query = (text: string | Statement, values?: unknown[]) => {
    const statement = typeof text === 'string' ? { text, ...(values ? { values } : {}) } : text;
    sent.push(statement);
    return pool.query(statement.text, statement.values);
  };
  return { sent, db: { query } as unknown as Pick<pg.Pool, 'query'> };
};

interface Plan {
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
}

const blocksOf = async (pool: pg.Pool, statements: readonly Statement[]): Promise<number> => {
  let blocks = 0;
  for (const { text, values } of statements) {
    const { rows } = await pool.query<{ 'QUERY PLAN': Plan[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    blocks += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
  }
  return blocks;
};

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

/** The first event at or after a time, by reading them all. */
const firstSince = async (pool: pg.Pool, time: Date): Promise<Position> => {
  const { rows } = await pool.query<Position>(
    `SELECT txid::text AS txid, pos::text AS pos FROM event_store.events e WHERE occurred_at >= $1
     ORDER BY e.txid, e.pos LIMIT 1`,
    [time],
  );
  return rows[0] as Position;
};

const countBetween = async (pool: pg.Pool, after: Position, before: Position): Promise<number> => {
  const { rows } = await pool.query<{ count: string }>(
    `SELECT count(*) AS count FROM event_store.events
     WHERE (txid, pos) > ($1::xid8, $2::bigint) AND (txid, pos) < ($3::xid8, $4::bigint)`,
    [after.txid, after.pos, before.txid, before.pos],
  );
  return Number(rows[0]?.count);
};

describe('the position before a time', () => {
  let pool: pg.Pool;

  /**
   * Fills the store with events over the last 90 days, with the clocks of several processes; `clock` changes their time.
   */
  const fill = async (count: number, clock = 'at') => {
    await pool.query('ALTER TABLE event_store.events DISABLE TRIGGER USER');
    await pool.query('TRUNCATE event_store.events');
    await pool.query(
      `INSERT INTO event_store.events (txid, stream_id, version, id, type, data, metadata, occurred_at)
       SELECT (7 * n + n % 5)::text::xid8, 's' || n, 1, gen_random_uuid(), 'test.counted.v1', '{}', '{}', ${clock}
       FROM generate_series(1, $1::integer) AS n
       CROSS JOIN LATERAL (
         SELECT now() - make_interval(secs => ${DAYS} * 86400.0 * ($1::integer - n) / $1::integer + (n::bigint * 7919) % 600) AS at,
                n::float8 / $1::integer AS share
       ) AS time`,
      [count],
    );
    await pool.query('ANALYZE event_store.events');
  };

  beforeAll(async () => {
    ({ pool } = await stores.fresh());
  }, 60_000);

  it('is found by a few index lookups for any number of events', async () => {
    await fill(EVENTS);
    const { sent, db } = recording(pool);
    const time = daysAgo(14);
    const found = await positionBefore(db, time);
    const first = await firstSince(pool, time);
    expect(comparePositions(found, first)).toBeLessThan(0);
    // The hour for clock skew contains one event per 26 seconds.
    expect(await countBetween(pool, found, first)).toBeLessThan(300);
    expect(sent.length).toBeLessThanOrEqual(7);
    const blocks = await blocksOf(pool, sent);
    expect(blocks).toBeLessThan(1_500);
    const { rows } = await pool.query<{ pages: number }>(
      "SELECT relpages AS pages FROM pg_class WHERE oid = 'event_store.events'::regclass",
    );
    expect(rows[0]?.pages).toBeGreaterThan(3 * blocks);
  }, 60_000);

  it.each([
    [
      'a clock that was ahead by a year for a while, long ago',
      "CASE WHEN share BETWEEN 0.2 AND 0.25 THEN at + interval '1 year' ELSE at END",
    ],
    [
      'a clock that was behind by a year for a while, lately',
      "CASE WHEN share BETWEEN 0.9 AND 0.97 THEN at - interval '1 year' ELSE at END",
    ],
    [
      'a clock that is behind by a year since yesterday',
      "CASE WHEN share > 0.99 THEN at - interval '1 year' ELSE at END",
    ],
    ['clocks of processes that differ by minutes', 'at + make_interval(mins => ((random() - 0.5) * 60)::integer)'],
  ])('is never after an event of that time, in spite of %s', async (_, clock) => {
    await fill(20_000, clock);
    const time = daysAgo(14);
    const found = await positionBefore(pool, time);
    const first = await pool.query<Position>(
      `SELECT txid::text AS txid, pos::text AS pos FROM event_store.events e
       WHERE e.txid >= (7 * 20000.0 * (1 - 14.0 / ${DAYS}))::bigint::text::xid8 AND occurred_at >= $1 ORDER BY e.txid, e.pos LIMIT 1`,
      [time],
    );
    expect(comparePositions(found, first.rows[0] as Position)).toBeLessThan(0);
  });

  it('is the beginning when there is no older event', async () => {
    const empty = await stores.fresh();
    expect(await positionBefore(empty.pool, daysAgo(14))).toEqual({ txid: '0', pos: '0' });
    await fill(100);
    expect(await positionBefore(pool, daysAgo(200))).toEqual({ txid: '0', pos: '0' });
  });

  it('is at the end when every event is older', async () => {
    await fill(100);
    const { txid } = await positionBefore(pool, new Date(Date.now() + 86_400_000));
    expect(txid).toBe('700');
  });
});
