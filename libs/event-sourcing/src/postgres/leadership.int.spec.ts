import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { withLeadership } from './leadership.js';

let postgres: TestPostgres;
let pool: pg.Pool;
beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  pool = new pg.Pool({ connectionString: await postgres.createDatabase(), max: 6 });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

it('leaders that start concurrently leave connections for their work', async () => {
  const stop = new AbortController();
  const led = Array.from({ length: 12 }, (_, n) =>
    withLeadership(pool, `lead-${n}`, stop.signal, async () => {
      await pause(50);
      await pool.query('SELECT 1');
    }),
  );
  expect(await Promise.all(led)).toEqual(Array(12).fill(true));
});

it('the next leader starts without a wait when the work of the first one failed', async () => {
  const stop = new AbortController();
  const fail = () => withLeadership(pool, 'failing', stop.signal, async () => Promise.reject(new Error('failed')));
  for (let n = 0; n < 50; n++) await expect(fail()).rejects.toThrow('failed');
});
