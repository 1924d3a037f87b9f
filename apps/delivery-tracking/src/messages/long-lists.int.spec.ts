import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listEmails, type RequestInput } from '@postern/contracts';
import { RowsRead, startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { migratedDatabase } from '../testing/migrated-database.js';
import { ListEmails } from './list-emails.js';

/** Much more than a query may examine. */
const MESSAGES = 60_000;
/** One page and its capped total. */
const A_PAGE = 1_500;
/** A filter without an index: its page, its end, its total and a search by address examine 10,000 each. */
const EXAMINED = 41_000;
const SERVICE = '0190f000-0000-7000-8000-00000000a000';
const OTHER_SERVICE = '0190f000-0000-7000-8000-00000000b000';

const recipient = (address: string, index: number) =>
  `jsonb_build_object('index', ${index}, 'address', ${address}, 'role', 'to', 'copy', 'taken', 'delivered', true)`;
/** Message `n` is accepted `n` seconds after the first one; the highest number is the newest. */
const FILL = `
  INSERT INTO tracked_emails (id, service_id, status, mode, sender, subject, accepted_at, counts, recipients, states,
    search, address, result, tags, message_id)
  SELECT id(n), $1::uuid, 'sent', 'production', 'shop@example.com', 'Receipt ' || n,
    '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => n), true, jsonb_build_array(${recipient("'user' || n || '@x.test'", 0)}),
    CASE WHEN n % 10000 = 1 THEN '{bounced}' WHEN n % 20000 = 2 THEN '{complained}' ELSE '{delivered}' END::text[],
    'receipt ' || n || E'\\nshop@example.com\\nuser' || n || '@x.test', 'user' || n || '@x.test',
    CASE WHEN n % 10000 = 1 THEN 'failed' ELSE 'sent' END,
    CASE WHEN n = 3 THEN '{campaign:first}' WHEN n % 2 = 0 THEN '{kind:even}' END::text[], n || '@shop.test'
  FROM generate_series(1, ${MESSAGES}) AS n`;

let postgres: TestPostgres;
let pool: pg.Pool;
let read: RowsRead;
let emails: ListEmails;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  const connectionString = await migratedDatabase(postgres);
  const filling = new pg.Pool({ connectionString });
  await filling.query(`CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql AS
    $$ SELECT ('0190f000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$`);
  await filling.query(FILL, [SERVICE]);
  await filling.query(`INSERT INTO tracked_other_recipients
    SELECT service_id, 'copy@y.test', accepted_at, id FROM tracked_emails WHERE subject IN ('Receipt 5', 'Receipt 70')`);
  await filling.query("INSERT INTO daily_email_counts (service_id, day, messages) VALUES ($1, '2026-01-01', $2)", [
    SERVICE,
    MESSAGES,
  ]);
  await filling.query('VACUUM ANALYZE tracked_emails, tracked_other_recipients');
  await filling.end();
  pool = new pg.Pool({ connectionString });
  read = new RowsRead(pool);
  emails = new ListEmails({ pool } as never);
}, 120_000);

afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

type Filter = Partial<RequestInput<typeof listEmails>>;

const list = (filter: Filter = {}) => emails.list(listEmails.request.parse({ service_id: SERVICE, ...filter }));
const subjects = async (filter: Filter) => (await list(filter)).items.map(({ subject }) => subject);
const receipts = (...numbers: number[]) => numbers.map(number => `Receipt ${number}`);
const idOf = (number: number) => `0190f000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
const timeOf = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString();

describe('A list of sixty thousand messages', () => {
  it.each<[string, Filter]>([
    ['without a filter', {}],
    ['after a message', { after: idOf(30_000) }],
    ['before a message', { before: idOf(30_000) }],
    ['with a rare status', { state: 'bounced' }],
    ['with a status that no message has', { state: 'not_sent' }],
    ['in progress, when nothing is', { state: 'pending' }],
    ['with a rare result', { result: 'failed' }],
    ['with a Message-ID', { message_id: '77@shop.test' }],
    ['with a Message-ID that no message has', { message_id: 'none@shop.test' }],
    ['in a period', { from: timeOf(100), to: timeOf(50_000) }],
    ['of another service', { service_id: OTHER_SERVICE }],
  ])('reads no more than a page and its total, %s', async (_, filter) => {
    expect(await read.by(() => list(filter))).toBeLessThan(A_PAGE);
  });

  it.each<[string, Filter]>([
    ['for an address', { search: 'user17@x.test' }],
    ['for a word', { search: 'receipt' }],
    ['for a rare tag', { tag: 'campaign:first' }],
    ['for a frequent tag', { tag: 'kind:even' }],
    ['at the largest offset', { offset: 10_000 }],
    ['in a short period', { search: 'receipt 3', from: timeOf(1), to: timeOf(5_000) }],
  ])('reads a bounded number of messages, %s', async (_, filter) => {
    expect(await read.by(() => list(filter))).toBeLessThan(EXAMINED);
  });

  it('has the number of all messages, and counts those with a filter up to 1,000', async () => {
    expect(await list()).toMatchObject({ total: MESSAGES, limit: 20, offset: 0 });
    expect(await list()).not.toHaveProperty('total_capped');
    expect(await list({ state: 'bounced' })).toMatchObject({ total: 6 });
    expect(await list({ from: timeOf(100) })).toMatchObject({ total: 1_000, total_capped: true });
    expect(await list({ search: 'receipt' })).toMatchObject({ total: 1_000, total_capped: true });
  });

  it('is read page by page in both directions', async () => {
    expect(await subjects({ limit: 2 })).toEqual(receipts(60_000, 59_999));
    expect(await subjects({ limit: 2, after: idOf(59_999) })).toEqual(receipts(59_998, 59_997));
    expect(await subjects({ limit: 2, before: idOf(59_997) })).toEqual(receipts(59_999, 59_998));
    expect(await subjects({ limit: 2, before: idOf(60_000) })).toEqual([]);
    expect(await subjects({ limit: 2, after: idOf(1) })).toEqual([]);
    expect(await subjects({ limit: 2, state: 'bounced', after: idOf(40_001) })).toEqual(receipts(30_001, 20_001));
  });

  it('finds old messages by their address, its beginning, and further recipients', async () => {
    expect(await subjects({ search: 'USER17@x.test' })).toEqual(receipts(17));
    expect((await subjects({ search: 'user1234' })).sort()).toEqual(
      receipts(1_234, ...Array.from({ length: 10 }, (_, digit) => 12_340 + digit)).sort(),
    );
    expect(await subjects({ search: 'copy@' })).toEqual(receipts(70, 5));
    expect(await list({ search: 'copy@' })).toMatchObject({ total: 2, searched_since: timeOf(50_000) });
  });

  it('finds old messages by a tag', async () => {
    expect(await subjects({ tag: 'campaign:first' })).toEqual(receipts(3));
    expect(await subjects({ tag: 'campaign:first', search: 'receipt' })).toEqual(receipts(3));
    expect(await subjects({ tag: 'campaign:first', search: 'other' })).toEqual([]);
  });

  it('finds words in the newest messages, and in a period', async () => {
    expect(await subjects({ search: 'receipt 59999' })).toEqual(receipts(59_999));
    expect(await subjects({ search: 'receipt 4321', from: timeOf(1), to: timeOf(5_000) })).toEqual(receipts(4_321));
  });

  it.each<[string, Filter]>([
    ['words of old messages', { search: 'receipt 4321' }],
    ['a frequent status with a word', { state: 'delivered', search: 'nobody' }],
  ])('refuses %s after a bounded number of messages', async (_, filter) => {
    await expect(list(filter)).rejects.toMatchObject({ code: 'query_too_broad' });
    expect(await read.by(() => list(filter).catch(() => undefined))).toBeLessThan(EXAMINED);
  });

  it('refuses a word in too many messages with a tag', async () => {
    await expect(list({ tag: 'kind:even', search: 'nobody' })).rejects.toMatchObject({ code: 'query_too_broad' });
  });

  it('says what to do when it cannot be quick', async () => {
    await expect(list({ search: 'receipt 4321' })).rejects.toMatchObject({
      code: 'query_too_broad',
      message: expect.stringContaining('Narrow the period with `from` and `to`'),
    });
  });

  it('refuses a cursor that is not in the list, and two positions at once', async () => {
    const refused = { code: 'invalid_input' };
    await expect(list({ after: idOf(70_000) })).rejects.toMatchObject(refused);
    await expect(list({ service_id: OTHER_SERVICE, after: idOf(5) })).rejects.toMatchObject(refused);
    await expect(list({ after: idOf(5), before: idOf(6) })).rejects.toMatchObject(refused);
    await expect(list({ after: idOf(5), offset: 20 })).rejects.toMatchObject(refused);
  });
});
