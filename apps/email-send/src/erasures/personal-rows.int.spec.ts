import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { KeyRing, type PersonalErasure } from '@postern/service-host';
import { startPostgres, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import type { CodeOptOuts } from '../code-opt-outs/code-opt-outs.js';
import type { MailboxHashes } from '../code-opt-outs/ports.js';
import { EraseScheduledEmails } from '../scheduled-emails/erase-scheduled-emails.js';
import { ScheduledEmailSeal } from '../scheduled-emails/scheduled-email-seal.js';
import { migratedDatabase } from '../testing/migrated-database.js';
import { PostgresPersonalRows } from './postgres-personal-rows.js';

const [ADDRESS, ERASED] = ['mary-jane@my-shop.test', 'erased-1@erased.invalid'];

const erasure: PersonalErasure = {
  address: ADDRESS,
  replacement: ERASED,
  forms: [ADDRESS, `"mary-jane"@my-shop.test`],
  traces: [ADDRESS],
  redact: value => {
    const text = JSON.stringify(value);
    return text.includes(ADDRESS) ? (JSON.parse(text.replaceAll(ADDRESS, ERASED)) as unknown) : undefined;
  },
  redactId: () => undefined,
};

let postgres: TestPostgres;
let pool: pg.Pool;
const refusing = new Set<string>();
const hashes: MailboxHashes = { hashOf: async address => Buffer.from(address) };
const optOuts = { has: async (hash: Buffer) => refusing.has(hash.toString()) } as Partial<CodeOptOuts> as CodeOptOuts;
const scheduled = new EraseScheduledEmails(new ScheduledEmailSeal(new KeyRing([{ id: 'test', key: randomBytes(32) }])));
const rows = new PostgresPersonalRows(hashes, optOuts, scheduled);

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  const databaseUrl = await migratedDatabase(postgres);
  pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
}, 60_000);
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});
beforeEach(() =>
  pool.query(
    'TRUNCATE emails, sealed_email_bodies, open_requests, deferred_copies, idempotency_keys, suppressed_addresses',
  ),
);

/** The event of a message to the person and another recipient, after the person was erased from it. */
const message = async () => {
  const id = randomUUID();
  await pool.query('INSERT INTO emails VALUES ($1, $2, $3)', [id, randomUUID(), JSON.stringify({ id, to: [ADDRESS] })]);
  await pool.query('INSERT INTO sealed_email_bodies VALUES ($1, $2, $3)', [id, 'key', Buffer.of(0)]);
  const recipients = [ERASED, 'bob@x.test'].map((address, index) => ({ index, address }));
  return { id, event: { streamId: `email-${id}`, type: 'accepted', data: { email_id: id, recipients } } };
};
const defer = (id: string, index: number) =>
  pool.query(
    `INSERT INTO deferred_copies (email_id, recipient_index, due_at, deadline) VALUES ($1, $2, now(), now() + interval '4 hours')`,
    [id, index],
  );
const eraseRowsOf = (...events: Awaited<ReturnType<typeof message>>['event'][]) =>
  inTransaction(pool, tx => rows.eraseRowsOf(events, erasure, tx));

it('erases the answer, the body and a copy that waits, and nothing of other messages', async () => {
  const [theirs, other] = [await message(), await message()];
  await defer(theirs.id, 0);
  expect(await eraseRowsOf(theirs.event)).toEqual({
    erased: { deferred_copies: 1, emails: 1, sealed_email_bodies: 1, idempotency_keys: 0 },
    unfinished: 0,
  });
  const { rows: bodies } = await pool.query('SELECT email_id FROM sealed_email_bodies');
  expect(bodies).toEqual([{ email_id: other.id }]);
  const { rows: records } = await pool.query<{ record: string }>('SELECT record FROM emails WHERE id = $1', [
    theirs.id,
  ]);
  expect(JSON.parse(records[0]?.record ?? '')).toEqual({ id: theirs.id, to: [ERASED] });
});

it('leaves a body unfinished while another recipient waits for it or the message is being sent', async () => {
  const [deferred, inProgress] = [await message(), await message()];
  await defer(deferred.id, 1);
  await pool.query('DELETE FROM emails WHERE id = $1', [inProgress.id]);
  await pool.query('INSERT INTO open_requests (email_id, instance_id, answer_by) VALUES ($1, $2, now())', [
    inProgress.id,
    randomUUID(),
  ]);
  expect(await eraseRowsOf(deferred.event, inProgress.event)).toMatchObject({ unfinished: 2 });
  await pool.query('TRUNCATE deferred_copies');
  await pool.query(`INSERT INTO emails VALUES ($1, $2, '{}')`, [inProgress.id, randomUUID()]);
  expect(await eraseRowsOf(deferred.event, inProgress.event)).toMatchObject({
    erased: { sealed_email_bodies: 2 },
    unfinished: 0,
  });
});

it('replaces idempotency keys that hold the address, and keeps the others', async () => {
  const theirs = await message();
  const insert = (key: string) =>
    pool.query(`INSERT INTO idempotency_keys VALUES ($1, $2, $3, now(), $1)`, [randomUUID(), key, theirs.id]);
  await insert('welcome Mary-Jane@my-shop.test');
  await insert('order-17');
  expect(await eraseRowsOf(theirs.event)).toMatchObject({ erased: { idempotency_keys: 1 } });
  const { rows: keys } = await pool.query<{ key: string }>('SELECT key FROM idempotency_keys ORDER BY key DESC');
  expect(keys.map(({ key }) => key)).toEqual(expect.arrayContaining(['order-17', theirs.id]));
});

it('deletes suppressions and logged requests of the address in every spelling', async () => {
  for (const body of [...erasure.forms.map(form => `{"to":["${form.toUpperCase()}"]}`), '{"to":["bob@x.test"]}'])
    await pool.query(
      `INSERT INTO logged_requests (id, service_id, key_id, key_name, request_id, at, method, path, status, duration_ms, body)
       VALUES ($1, $1, $1, 'app', 'r', now(), 'POST', '/emails', 400, 1, $2)`,
      [randomUUID(), body],
    );
  for (const address of [...erasure.forms, 'bob@x.test'])
    await pool.query('INSERT INTO suppressed_addresses VALUES ($1, $2, now())', [randomUUID(), address]);
  const { erased } = await inTransaction(pool, tx => rows.eraseRows(erasure, undefined, tx));
  const logged_requests = erasure.forms.length;
  expect(erased).toEqual({ suppressed_addresses: 2, logged_requests, scheduled_emails: 0 });
});

it('keeps the opt-out of the person from verification codes, and reports it', async () => {
  await expect(rows.kept(erasure)).resolves.toEqual([]);
  refusing.add(ADDRESS);
  await expect(rows.kept(erasure)).resolves.toEqual([
    { kind: 'code_opt_outs', rows: 1, reason: expect.stringContaining('keyed hash') },
  ]);
});
