import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listCursor } from '@postern/service-host';
import { RowsRead, startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { migratedDatabase } from '../../testing/migrated-database.js';
import { AuditLog } from './audit-log.js';

/** Much more than a query may examine. */
const ENTRIES = 40_000;
const WORKSPACE = '0190f000-0000-7000-8000-00000000a000';

let postgres: TestPostgres;
let pool: pg.Pool;
let read: RowsRead;
let log: AuditLog;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  const connectionString = await migratedDatabase(postgres);
  const filling = new pg.Pool({ connectionString });
  await filling.query(
    `INSERT INTO audit_entries (id, at, actor_type, actor_id, action, resource_type, workspace_id, outcome, request_id)
     SELECT ('0190f000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => n), 'user', CASE WHEN n = 5 THEN 'rare' ELSE 'busy' END,
       'email_service.created', 'email_service', $1, 'succeeded', 'request'
     FROM generate_series(1, ${ENTRIES}) AS n`,
    [WORKSPACE],
  );
  await filling.query('VACUUM ANALYZE audit_entries');
  await filling.end();
  pool = new pg.Pool({ connectionString });
  read = new RowsRead(pool);
  log = new AuditLog({ pool } as never);
}, 120_000);

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

interface Filter {
  readonly workspaceId?: string | undefined;
  readonly after?: string;
  readonly before?: string;
  readonly actor?: string;
  readonly from?: string;
  readonly to?: string;
}

const list = ({ after, before, ...scope }: Filter = {}) =>
  log.list(
    { workspaceId: WORKSPACE, ...scope },
    { limit: 2, offset: 0, cursor: listCursor({ after, before, offset: 0 }) },
  );
const idOf = (number: number) => `0190f000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
const timeOf = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString();
const idsOf = async (filter: Filter) => (await list(filter)).items.map(({ id }) => id);

describe('An audit log of forty thousand entries', () => {
  it.each<[string, Filter]>([
    ['of a workspace', {}],
    ['of all workspaces', { workspaceId: undefined }],
    ['after an entry', { after: idOf(20_000) }],
    ['before an entry', { before: idOf(20_000) }],
    ['in a period', { from: timeOf(5), to: timeOf(30_000) }],
  ])('reads no more than a page and its total, %s', async (_, filter) => {
    expect(await read.by(() => list(filter))).toBeLessThan(1_200);
  });

  it('is read page by page in both directions, and counted up to 1,000', async () => {
    expect(await list()).toMatchObject({ total: 1_000, total_capped: true });
    expect(await idsOf({ after: idOf(39_999) })).toEqual([idOf(39_998), idOf(39_997)]);
    expect(await idsOf({ before: idOf(39_997) })).toEqual([idOf(39_999), idOf(39_998)]);
  });

  it('finds a rare actor in a period, and refuses to look through all entries', async () => {
    expect(await list({ actor: 'rare', to: timeOf(5_000) })).toMatchObject({ items: [{ id: idOf(5) }], total: 1 });
    await expect(list({ actor: 'rare' })).rejects.toMatchObject({ code: 'query_too_broad' });
    expect(await read.by(() => list({ actor: 'rare' }).catch(() => undefined))).toBeLessThan(21_000);
  });

  it('refuses a cursor that is not in the list', async () => {
    await expect(list({ after: idOf(70_000) })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
