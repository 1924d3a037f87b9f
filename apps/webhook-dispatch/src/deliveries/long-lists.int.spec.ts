import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listDeliveries, type RequestInput } from '@postern/contracts';
import { RowsRead, startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { migratedDatabase } from '../testing/migrated-database.js';
import { deliveryPage } from './delivery-pages.js';

/** Much more than a query may examine. */
const DELIVERIES = 60_000;
const WEBHOOK = '0190f000-0000-7000-8000-00000000a000';
const SERVICE = '0190f000-0000-7000-8000-00000000b000';

let postgres: TestPostgres;
let pool: pg.Pool;
let read: RowsRead;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  const connectionString = await migratedDatabase(postgres);
  const filling = new pg.Pool({ connectionString });
  await filling.query(
    `INSERT INTO deliveries (id, webhook_id, event_id, payload, state, created_at, next_attempt_at, finished_at)
     SELECT ('0190f000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, gen_random_uuid(), '{}', state,
       at, CASE WHEN state = 'pending' THEN now() END, CASE WHEN state <> 'pending' THEN at END
     FROM generate_series(1, ${DELIVERIES}) AS n,
       LATERAL (SELECT '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => n) AS at,
         CASE WHEN n = 7 THEN 'pending' WHEN n % 10000 = 1 THEN 'refused' ELSE 'accepted' END AS state) AS facts`,
    [WEBHOOK],
  );
  await filling.query('VACUUM ANALYZE deliveries');
  await filling.end();
  pool = new pg.Pool({ connectionString });
  read = new RowsRead(pool);
}, 120_000);

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

type Filter = Partial<RequestInput<typeof listDeliveries>>;

const list = (filter: Filter = {}) =>
  deliveryPage(pool, listDeliveries.request.parse({ service_id: SERVICE, webhook_id: WEBHOOK, limit: 2, ...filter }));
const idOf = (number: number) => `0190f000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

describe('A list of sixty thousand deliveries', () => {
  it.each<[string, Filter]>([
    ['without a filter', {}],
    ['after a delivery', { after: idOf(30_000) }],
    ['before a delivery', { before: idOf(30_000) }],
    ['that were refused', { state: 'refused' }],
    ['that were dropped, when none was', { state: 'dropped' }],
    ['that are pending', { state: 'pending' }],
    ['of another webhook', { webhook_id: SERVICE }],
  ])('reads no more than a page and its total, %s', async (_, filter) => {
    expect(await read.by(() => list(filter))).toBeLessThan(1_200);
  });

  it('reads a bounded number of deliveries for a frequent status', async () => {
    expect(await read.by(() => list({ state: 'accepted' }))).toBeLessThan(11_000);
  });

  it('counts up to 1,000', async () => {
    expect(await list()).toMatchObject({ total: 1_000, total_capped: true });
    expect(await list({ state: 'refused' })).toEqual({ ids: [idOf(50_001), idOf(40_001)], total: 6 });
    expect(await list({ state: 'pending' })).toEqual({ ids: [idOf(7)], total: 1 });
  });

  it('is read page by page in both directions', async () => {
    expect((await list()).ids).toEqual([idOf(60_000), idOf(59_999)]);
    expect((await list({ after: idOf(59_999) })).ids).toEqual([idOf(59_998), idOf(59_997)]);
    expect((await list({ before: idOf(59_997) })).ids).toEqual([idOf(59_999), idOf(59_998)]);
    expect((await list({ after: idOf(1) })).ids).toEqual([]);
    expect((await list({ state: 'refused', after: idOf(40_001) })).ids).toEqual([idOf(30_001), idOf(20_001)]);
  });

  it('refuses a frequent status that no recent delivery has', async () => {
    await pool.query(`INSERT INTO deliveries (id, webhook_id, payload, state, created_at)
      SELECT gen_random_uuid(), '${SERVICE}', '{}', 'refused', now() FROM generate_series(1, 10001)`);
    await expect(list({ webhook_id: SERVICE, state: 'accepted' })).rejects.toMatchObject({ code: 'query_too_broad' });
  });

  it('refuses a cursor that is not in the list', async () => {
    await expect(list({ after: idOf(70_000) })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(list({ webhook_id: SERVICE, after: idOf(5) })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
