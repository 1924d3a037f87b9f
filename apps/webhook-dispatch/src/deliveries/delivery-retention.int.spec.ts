import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Database, KeyRing } from '@postern/service-host';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { migratedDatabase } from '../testing/migrated-database.js';
import { PostgresDeliveryQueue } from './postgres-delivery-queue.js';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
/** Of one period, with an attempt each. */
const DELIVERIES = 6_000;
const START = Date.UTC(2026, 0, 1);

let postgres: TestPostgres;
let pool: pg.Pool;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  pool = new pg.Pool({ connectionString: await migratedDatabase(postgres), max: 1 });
}, 60_000);

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

const FILL = `
  WITH made AS (
    INSERT INTO deliveries (id, webhook_id, payload, state, created_at, finished_at)
    SELECT overlay(gen_random_uuid()::text PLACING
        overlay(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') PLACING '-' FROM 9 FOR 0) FROM 1)::uuid,
      $1, '{}', CASE WHEN n % 1000 = 0 THEN 'held' ELSE 'accepted' END, at, CASE WHEN n % 1000 <> 0 THEN at END
    FROM generate_series(1, ${DELIVERIES}) AS n, LATERAL (SELECT $2::timestamptz + make_interval(secs => n) AS at) AS time
    RETURNING id, created_at
  )
  INSERT INTO attempts (delivery_id, number, at, outcome, latency_ms) SELECT id, 1, created_at, 'accepted', 5 FROM made`;

/** Rows of deliveries that all statements so far have read. */
const rowsRead = async (): Promise<number> => {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ n: string }>(
    "SELECT seq_tup_read + idx_tup_fetch AS n FROM pg_stat_user_tables WHERE relname = 'deliveries'",
  );
  return Number(rows[0]?.n);
};

it('The purge of deliveries reads little more than what it deletes, in the third retention period as in the first', async () => {
  const queue = new PostgresDeliveryQueue(
    { pool } as unknown as Database,
    new KeyRing([{ id: 'test', key: randomBytes(32) }]),
  );
  const webhookId = randomUUID();
  for (const period of [0, 1, 2, 3]) {
    const begins = new Date(START + period * RETENTION_DAYS * DAY_MS);
    await pool.query(FILL, [webhookId, begins]);
    await pool.query('VACUUM ANALYZE deliveries');
    const before = await rowsRead();
    const purged = await queue.purgeFinishedBefore(new Date(begins.getTime() - DAY_MS));
    const held = (period * DELIVERIES) / 1_000;
    expect(purged).toBe(period === 0 ? 0 : DELIVERIES - DELIVERIES / 1_000);
    // Each is found, and deleted; those that are held are examined again in each period.
    expect((await rowsRead()) - before).toBeLessThan(3 * (purged + held) + 100);
    const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM attempts');
    expect(rows[0]?.n).toBe(DELIVERIES + held);
  }
}, 60_000);
