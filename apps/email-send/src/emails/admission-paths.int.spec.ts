import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Refusal } from '@postern/contracts';
import type { Append } from '@postern/event-sourcing';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { parseMailbox } from '@postern/mail';
import { KeyRing } from '@postern/service-host';
import { startPostgres, type TestPostgres } from '@postern/testing';
import fc from 'fast-check';
import pg from 'pg';
import { migratedDatabase } from '../testing/migrated-database.js';
import { BodySeal } from './body-seal.js';
import { type EmailFacts, email } from './email.js';
import type { Admission, AdmissionRequest } from './ports.js';
import { acceptance } from './postgres-email-repository.js';
import { admitBatch } from './postgres-fast-path.js';
import { admitEach } from './postgres-slow-path.js';

/** One database for each path, with the same rows at the beginning of each batch. */
interface Path {
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore;
}

const INSTANCE = uuidOf('instance');
const WRITER = { instanceId: INSTANCE, seal: new BodySeal(new KeyRing([{ id: 'test', key: randomBytes(32) }])) };
const SERVICES = ['one', 'two'] as const;
/** Fixed, so that no minute begins between the two paths. */
const AT = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 30_000);

/** A request, or an earlier message, reduced to the values that can affect admission. */
interface Draft {
  readonly service: (typeof SERVICES)[number];
  /** Index of the message; equal for a repeated request. */
  readonly message: number;
  readonly body: number;
  readonly key: number | undefined;
  readonly counts: boolean;
  readonly shared: boolean;
}

interface Counts {
  readonly minute: number;
  readonly day: number;
  readonly shared: number;
}

interface Situation {
  readonly earlier: readonly (Draft & { readonly concluded: boolean; readonly deadline: 'open' | 'recent' | 'old' })[];
  readonly batch: readonly Draft[];
  readonly used: Counts;
  readonly limit: Counts;
}

const draft = (message: fc.Arbitrary<number>): fc.Arbitrary<Draft> =>
  fc.record({
    service: fc.constantFrom(...SERVICES),
    message,
    body: fc.nat(3),
    key: fc.option(fc.nat(4), { nil: undefined, freq: 2 }),
    counts: fc.boolean(),
    shared: fc.boolean(),
  });

const situation: fc.Arbitrary<Situation> = fc.record({
  earlier: fc.uniqueArray(
    fc
      .tuple(draft(fc.nat(2)), fc.boolean(), fc.constantFrom('open' as const, 'recent' as const, 'old' as const))
      .map(([one, concluded, deadline]) => ({ ...one, concluded, deadline })),
    { maxLength: 3, selector: ({ message }) => message },
  ),
  // Most messages are new; a message with the index of an earlier one repeats its request.
  batch: fc.uniqueArray(
    draft(fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 10, max: 40 }) }, { weight: 1, arbitrary: fc.nat(2) })),
    {
      minLength: 1,
      maxLength: 6,
      selector: ({ message }) => message,
    },
  ),
  used: fc.record({ minute: fc.nat(5), day: fc.nat(5), shared: fc.nat(5) }),
  limit: fc.record({
    minute: fc.integer({ min: 3, max: 20 }),
    day: fc.integer({ min: 3, max: 20 }),
    shared: fc.integer({ min: 3, max: 20 }),
  }),
});

let postgres: TestPostgres;
let fast: Path;
let slow: Path;

beforeAll(async () => {
  postgres = await startPostgres();
  fast = await path();
  slow = await path();
}, 60_000);
afterAll(async () => {
  await fast.pool.end();
  await slow.pool.end();
  await postgres.stop();
});

describe('the two admission paths of a batch', () => {
  it('give the same answers and write the same rows, and the fast path changes nothing when it cannot decide', async () => {
    const seen = { admitted: 0, left: 0 };
    await fc.assert(
      fc.asyncProperty(situation, async given => {
        await Promise.all([arrange(fast, given), arrange(slow, given)]);
        const batch = given.batch.map(one => requestOf(one, given));
        const appends = batch.map(request => acceptance({ ...request, metadata: { correlationId: 'test' } }));
        const before = await rowsOf(fast);
        const admitted = await admitBatch(fast.pool, batch, appends, WRITER);
        const decided = await decideSlowly(batch, appends);
        seen[admitted ? 'admitted' : 'left'] += 1;
        if (admitted) {
          expect(admitted).toEqual(decided);
          expect(await rowsOf(fast)).toEqual(await rowsOf(slow));
        } else {
          expect(await rowsOf(fast)).toEqual(before);
          expect(decided.every(outcome => !(outcome instanceof Refusal) && outcome.kind === 'admitted')).toBe(false);
        }
      }),
      { numRuns: 150, seed: 7 },
    );
    // Both paths were exercised.
    expect(Math.min(seen.admitted, seen.left)).toBeGreaterThan(20);
  }, 120_000);
});

const decideSlowly = (
  batch: readonly AdmissionRequest[],
  appends: readonly Append[],
): Promise<(Admission | Refusal)[]> => admitEach(slow.store, batch, appends, WRITER);

async function path(): Promise<Path> {
  const databaseUrl = await migratedDatabase(postgres);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => {});
  return { pool, store: new PostgresEventStore(pool) };
}

/** Sets up the state before the batch: counters, and earlier messages with their keys and deadlines. */
async function arrange({ pool, store }: Path, { earlier, used, limit }: Situation): Promise<void> {
  await pool.query(`SET session_replication_role = replica;
    TRUNCATE event_store.events, emails, sealed_email_bodies, open_requests, unresolved_emails, idempotency_keys, sending_usage;
    SET session_replication_role = DEFAULT`);
  for (const one of earlier) {
    const request = requestOf(one, { limit });
    const [kept] = [{ ...acceptance({ ...request, metadata: { correlationId: 'test' } }) }];
    await store.append(kept.streamId, kept.events, { expectedVersion: 'none', metadata: kept.metadata });
    await pool.query('INSERT INTO sealed_email_bodies VALUES ($1, $2, $3)', [request.emailId, 'test', '']);
    const ageS = { open: -20, recent: 60, old: 3_600 }[one.deadline];
    await pool.query(`INSERT INTO open_requests VALUES ($1, $2, $3, now() - make_interval(secs => $4))`, [
      request.emailId,
      INSTANCE,
      one.key === undefined ? request.fingerprint : null,
      ageS,
    ]);
    if (one.key !== undefined)
      await pool.query(
        `INSERT INTO idempotency_keys (service_id, key, fingerprint, email_id, claimed_at)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
        [request.serviceId, request.idempotencyKey, request.fingerprint, request.emailId, AT],
      );
    if (one.concluded) {
      const events = email.decide(
        { kind: 'interrupt', at: AT.toISOString() },
        { state: 'accepted', facts: request.facts },
      );
      await store.append(kept.streamId, events, { expectedVersion: 1, metadata: kept.metadata });
      await pool.query('INSERT INTO emails VALUES ($1, $2, $3)', [
        request.emailId,
        request.serviceId,
        JSON.stringify({ id: request.emailId }),
      ]);
    }
  }
  for (const service of SERVICES)
    await pool.query(
      `INSERT INTO sending_usage VALUES ($1, 'minute', date_trunc('minute', $2::timestamptz), $3),
                                        ($1, 'day', date_trunc('day', $2::timestamptz, 'UTC'), $4),
                                        ($1, 'shared_day', date_trunc('day', $2::timestamptz, 'UTC'), $5)`,
      [uuidOf(service), AT, used.minute, used.day, used.shared],
    );
}

function requestOf(one: Draft, { limit }: Pick<Situation, 'limit'>): AdmissionRequest {
  const serviceId = uuidOf(one.service);
  const emailId = uuidOf(`message ${one.message}`);
  const facts: EmailFacts = {
    email_id: emailId,
    service_id: serviceId,
    workspace_id: uuidOf('workspace'),
    mode: 'production',
    from: 'a@x.test',
    subject: `Subject ${one.body}`,
    recipients: [{ index: 0, address: 'b@x.test', role: 'to' }],
    message_id: `${emailId}@x.test`,
    counts: one.counts,
    ...(one.shared ? { counts_on_shared_sender: true } : {}),
    accepted_at: AT.toISOString(),
  };
  const from = parseMailbox('a@x.test');
  return {
    serviceId,
    emailId,
    perMinuteLimit: limit.minute,
    dailyLimit: limit.day,
    sharedDailyLimit: limit.shared,
    fingerprint: uuidOf(`${one.service} body ${one.body}`),
    idempotencyKey: one.key === undefined ? undefined : `key ${one.key}`,
    at: AT,
    answerBy: new Date(Date.now() + 3_600_000),
    facts,
    events: email.decide({ kind: 'accept', facts }, email.initial),
    body: { from, to: [from], cc: [], replyTo: [], text: 'x', headers: {}, openTracking: false, clickTracking: false },
  };
}

/** All rows that a batch can change. */
async function rowsOf({ pool }: Path): Promise<unknown> {
  const { rows } = await pool.query(`SELECT
    (SELECT json_agg(json_build_array(stream_id, version, type, data, metadata) ORDER BY stream_id, version) FROM event_store.events) AS events,
    (SELECT json_agg(json_build_array(email_id, key_id, length(body) > 0) ORDER BY email_id) FROM sealed_email_bodies) AS bodies,
    (SELECT json_agg(json_build_array(email_id, instance_id, fingerprint) ORDER BY email_id) FROM open_requests) AS open,
    (SELECT json_agg(json_build_array(service_id, key, fingerprint, email_id) ORDER BY service_id, key) FROM idempotency_keys) AS keys,
    (SELECT json_agg(json_build_array(service_id, period, starts_at, used) ORDER BY service_id, period, starts_at) FROM sending_usage) AS used`);
  return rows[0];
}

function uuidOf(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
