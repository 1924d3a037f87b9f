import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { keepsTheEventStoreContract } from '../testing/index.js';
import { readFeed } from './feed.js';
import { migrateEventStore, PostgresEventStore } from './index.js';

let postgres: TestPostgres;
const pools: pg.Pool[] = [];

const freshStore = async () => {
  const pool = new pg.Pool({ connectionString: await postgres.createDatabase(), max: 10 });
  pools.push(pool);
  await migrateEventStore(pool);
  return new PostgresEventStore(pool);
};

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
}, 60_000);

afterAll(async () => {
  for (const pool of pools) await pool.end();
  await postgres.stop();
});

keepsTheEventStoreContract(freshStore);

it.each(['UPDATE event_store.events SET version = 2', 'DELETE FROM event_store.events', 'TRUNCATE event_store.events'])(
  'refuses to rewrite history: %s',
  async statement => {
    const { pool } = await freshStore();
    await expect(pool.query(statement)).rejects.toThrow('append-only');
  },
);

it('migrates once when several replicas start together', async () => {
  const pool = new pg.Pool({ connectionString: await postgres.createDatabase() });
  pools.push(pool);
  await Promise.all(Array.from({ length: 5 }, () => migrateEventStore(pool)));
  expect(await readFeed(pool, { txid: '0', pos: '0' }, 10)).toMatchObject({ events: [], full: false });
});
