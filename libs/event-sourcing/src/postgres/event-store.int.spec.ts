import { expect, it } from '@jest/globals';
import pg from 'pg';
import { keepsTheEventStoreContract } from '../testing/index.js';
import { counted, freshStores, metadata } from '../testing/store-under-test.js';
import { migrateEventStore } from './index.js';
import { MIGRATIONS } from './migrations.js';

const stores = freshStores();

keepsTheEventStoreContract(async () => (await stores.fresh()).store);

it.each(['UPDATE event_store.events SET version = 2', 'DELETE FROM event_store.events', 'TRUNCATE event_store.events'])(
  'refuses to change stored events: %s',
  async statement => {
    const { pool, store } = await stores.fresh();
    await store.append('a', counted(1), { expectedVersion: 'none', metadata });
    await expect(pool.query(statement)).rejects.toThrow('append-only');
    expect(await store.readStream('a')).toMatchObject([{ version: 1 }]);
  },
);

it('migrates once when several replicas start together', async () => {
  const { pool, url } = await stores.fresh();
  await pool.query('DROP SCHEMA event_store CASCADE');
  const replicas = Array.from({ length: 5 }, () => new pg.Pool({ connectionString: url, max: 1 }));
  await Promise.all(replicas.map(migrateEventStore));
  for (const replica of replicas) await replica.end();
  const { rows } = await pool.query<{ number: number }>('SELECT number FROM event_store.migrations ORDER BY number');
  expect(rows.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, place) => place + 1));
});

it('passes the types of appended events to its listeners; `announce()` passes none', async () => {
  const { store } = await stores.fresh();
  const received: (ReadonlySet<string> | undefined)[] = [];
  const unsubscribe = store.onAppended(types => received.push(types));
  await store.append('a', counted(1, 2), { expectedVersion: 'none', metadata });
  store.announce();
  unsubscribe();
  store.announce();
  expect(received).toEqual([new Set(['test.counted.v1']), undefined]);
});
