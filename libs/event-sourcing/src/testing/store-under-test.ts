import { afterAll, beforeAll } from '@jest/globals';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { migrateEventStore, PostgresEventStore } from '../postgres/index.js';
import type { Upcasters } from '../upcasting.js';

/** Creates the event store in a database. */
export const migrate = async (connectionString: string): Promise<void> => {
  const pool = new pg.Pool({ connectionString, max: 1 });
  await migrateEventStore(pool).finally(() => pool.end());
};

/** For specs of this package: one server, and a fresh database with the event store for each call. */
export const freshStores = () => {
  let postgres: TestPostgres;
  const pools: pg.Pool[] = [];

  beforeAll(async () => {
    postgres = await startPostgres({ durable: false });
  }, 60_000);

  afterAll(async () => {
    for (const pool of pools) await pool.end();
    await postgres.stop();
  });

  const connect = (connectionString: string) => {
    const pool = new pg.Pool({ connectionString, max: 12 });
    pool.on('error', () => undefined);
    pools.push(pool);
    return pool;
  };

  return {
    /** Opens separate connections to the same database, like another process. */
    connect,
    fresh: async (upcasters: Upcasters = {}) => {
      const url = await postgres.createCopy(migrate);
      const pool = connect(url);
      return { url, pool, store: new PostgresEventStore(pool, upcasters) };
    },
  };
};

export const metadata = { correlationId: 'request-1' };

/** Events with increasing numbers. */
export const counted = (...numbers: number[]) => numbers.map(n => ({ type: 'test.counted.v1', data: { n } }));
