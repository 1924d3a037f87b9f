import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { migrateEventStore, PostgresEventStore } from './index.js';

let postgres: TestPostgres;
let pool: pg.Pool;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  pool = new pg.Pool({ connectionString: await postgres.createDatabase() });
  await migrateEventStore(pool);
  await new PostgresEventStore(pool).append('cart-1', [{ type: 'test.happened.v1', data: {} }], {
    expectedVersion: 'none',
    metadata: { correlationId: 'request-1' },
  });
}, 60_000);

afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

it('starts on events of this cluster', () => expect(migrateEventStore(pool)).resolves.toBeUndefined());

it('refuses to start on a checkpoint that this cluster has not reached', async () => {
  await pool.query("INSERT INTO event_store.projections VALUES ('carts', 1, true, 1, '4000000000', 1)");
  await expect(migrateEventStore(pool)).rejects.toThrow('transaction 4000000000');
  await pool.query('DELETE FROM event_store.projections');
});

it('refuses to start on events of a cluster with a higher transaction counter, as after restoring a logical dump', async () => {
  await pool.query(
    `INSERT INTO event_store.events (txid, stream_id, version, id, type, data, metadata, occurred_at)
     VALUES ('5000000000', 'cart-2', 1, gen_random_uuid(), 'test.happened.v1', '{}', '{"correlationId": "request-2"}', now())`,
  );
  await expect(migrateEventStore(pool)).rejects.toThrow('restored from a logical dump');
});
