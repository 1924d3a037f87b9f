import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { Refusal, type RequestOf, requestsOf } from '@postern/contracts';
import { connectNats, Handles, type NatsLink, RequestClient, ServiceUnavailable } from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { z } from 'zod';
import { Database } from '../database/database.js';
import { createLog } from '../log/service-log.js';
import { type RunningService, startService } from '../start-service.js';
import { addNote, listNotes, notebook } from '../testing/notebook.js';

/** Writes a row, and then does what the test asks for. */
const writeThen = requestsOf('email-send')('write-then', {
  request: z.object({ id: z.string(), outcome: z.enum(['refuse', 'fail']), writes: z.boolean() }),
  reply: z.object({ secret: z.string() }),
  refusals: { note_exists: 409 },
});

@Injectable()
@Handles(writeThen)
class WriteThen {
  constructor(private readonly database: Database) {}

  async execute({ id, outcome, writes }: RequestOf<typeof writeThen>): Promise<{ secret: string }> {
    if (writes) await this.database.pool.query(`INSERT INTO notes VALUES ($1, 'written')`, [id]);
    throw outcome === 'refuse' ? new Refusal('note_exists', 'no') : new TypeError('a bug');
  }
}

@Module({ providers: [WriteThen] })
class WriteThenModule {}

let postgres: TestPostgres;
let nats: TestNats;
let service: RunningService;
let link: NatsLink;
let client: RequestClient;
let pool: pg.Pool;

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
  const databaseUrl = await postgres.createDatabase();
  service = await startService(
    notebook(WriteThenModule),
    {
      POSTERN_DATABASE_URL: databaseUrl,
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    },
    createLog('notebook', 'silent'),
  );
  pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  link = await connectNats({ servers: nats.url, name: 'caller' });
  client = new RequestClient(link);
}, 60_000);

afterAll(async () => {
  client?.close();
  await link?.close();
  await pool?.end();
  await service?.stop();
  await nats?.stop();
  await postgres?.stop();
});

interface Sent {
  readonly key?: string;
  readonly caller?: string;
  readonly fingerprint?: string;
  readonly deadlineMs?: number;
}

const add = async (id: string, { key = id, caller = 'ada', fingerprint = id, deadlineMs }: Sent = {}) => {
  let replayed = false;
  const reply = await client.request(
    addNote,
    { id, text: `note ${id}` },
    { key: { caller, key, fingerprint }, onReplayed: () => (replayed = true), deadlineMs },
  );
  return { ...reply, replayed };
};

const codeOf = (sent: Promise<unknown>) =>
  sent.then(
    () => 'no refusal',
    (error: unknown) => (Refusal.is(error) ? error.code : error),
  );

describe('A command with a key', () => {
  it('is carried out once; its repetition gets the first answer, also after later changes', async () => {
    const { count } = await add('a');
    await add('b');
    await expect(add('a')).resolves.toEqual({ count, replayed: true });
  });

  it('is refused with another request, and independent of the same key of another caller', async () => {
    await add('c');
    expect(await codeOf(add('d', { key: 'c' }))).toBe('idempotency_key_reused');
    await expect(add('d', { key: 'c', caller: 'grace' })).resolves.toMatchObject({ replayed: false });
  });

  it('that was refused without an effect may be repeated', async () => {
    await add('e');
    expect(await codeOf(add('e', { key: 'other' }))).toBe('note_exists');
    expect(await codeOf(add('e', { key: 'other' }))).toBe('note_exists');
    await expect(add('f', { key: 'other' })).resolves.toMatchObject({ replayed: false });
  });

  it('is in flight while its read model is delayed, even when its caller gave up, and is then answered', async () => {
    const writer = await pool.connect();
    await writer.query('BEGIN');
    await writer.query('SELECT pg_current_xact_id()');
    try {
      const first = await add('g', { deadlineMs: 500 }).catch((error: unknown) => error);
      expect(first).toMatchObject({ name: 'ServiceUnavailable', maybeExecuted: true });
      expect(await codeOf(add('g'))).toBe('idempotency_key_in_flight');
      // Longer than commands wait for their read model when nobody asks for their answer later.
      await new Promise(resolve => setTimeout(resolve, 6_000));
      expect(await codeOf(add('g'))).toBe('idempotency_key_in_flight');
    } finally {
      await writer.query('COMMIT');
      writer.release();
    }
    let answer: unknown;
    for (let attempt = 0; attempt < 50; attempt++) {
      answer = await add('g').catch((error: unknown) => error);
      if (!Refusal.is(answer)) break;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
    expect(answer).toMatchObject({ replayed: true });
    expect((await client.request(listNotes, {})).filter(text => text === 'note g')).toHaveLength(1);
  }, 30_000);
});

describe('A command that fails', () => {
  const attempt = (id: string, outcome: 'refuse' | 'fail', writes: boolean) => {
    const sent = client.request(
      writeThen,
      { id, outcome, writes },
      { key: { caller: 'ada', key: id, fingerprint: id } },
    );
    return sent.then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  it('after it wrote is not carried out again, and says that its answer is lost', async () => {
    expect(await attempt('h', 'fail', true)).toMatchObject({ name: 'RemoteFault', maybeExecuted: true });
    expect(await codeOf(attempt('h', 'fail', true).then(error => Promise.reject(error)))).toBe(
      'idempotency_answer_lost',
    );
  });

  it('before it wrote says that nothing was done, and is carried out by a repetition', async () => {
    expect(await attempt('i', 'fail', false)).toMatchObject({ name: 'RemoteFault', maybeExecuted: false });
    expect(await attempt('i', 'fail', true)).toMatchObject({ name: 'RemoteFault', maybeExecuted: true });
  });

  it('with a refusal after it wrote repeats the refusal', async () => {
    expect(await attempt('j', 'refuse', true)).toMatchObject({ code: 'note_exists' });
    expect(await attempt('j', 'refuse', true)).toMatchObject({ code: 'note_exists', message: 'no' });
    expect((await pool.query(`SELECT FROM notes WHERE id = 'j'`)).rowCount).toBe(1);
  });
});

it('Neither keys nor answers are stored as text', async () => {
  await add('k', { key: 'of ada@example.com' });
  const { rows } = await pool.query<{ row: string; answer: string }>(
    'SELECT claim::text AS row, answer FROM event_store.command_claims AS claim',
  );
  expect(rows.every(({ row }) => !row.includes('ada@example.com'))).toBe(true);
  expect(rows.filter(({ answer }) => answer !== null).every(({ answer }) => /^k1:[A-Za-z0-9+/=]+$/.test(answer))).toBe(
    true,
  );
  expect(rows.length).toBeGreaterThan(3);
});

it('A command whose key cannot be claimed has not begun', async () => {
  await pool.query('ALTER TABLE event_store.command_claims RENAME TO moved');
  try {
    const failed = await add('l').catch((error: unknown) => error);
    expect(failed).not.toBeInstanceOf(ServiceUnavailable);
    expect(failed).toMatchObject({ maybeExecuted: false });
  } finally {
    await pool.query('ALTER TABLE event_store.moved RENAME TO command_claims');
  }
});
