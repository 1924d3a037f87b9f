import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, KeyRing } from '@postern/service-host';
import { startPostgres, type TestPostgres } from '@postern/testing';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { migratedDatabase } from '../testing/migrated-database.js';
import { WebhookHealths } from '../webhooks/webhook-health.js';
import { Webhooks } from '../webhooks/webhooks.projection.js';
import { Deliveries } from './deliveries.projection.js';
import type { AttemptResult, ClaimedDelivery, QueuedEvent } from './ports.js';
import { PostgresDeliveryQueue } from './postgres-delivery-queue.js';

const keys = new KeyRing([{ id: 'test', key: randomBytes(32) }]);
const none: ReadonlyMap<string, number> = new Map();
let postgres: TestPostgres;
let databaseUrl: string;
let pool: pg.Pool;
let queue: PostgresDeliveryQueue;
let deliveries: Deliveries;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  databaseUrl = await migratedDatabase(postgres);
  pool = new pg.Pool({ connectionString: databaseUrl });
  // A pool that has ended may still be closing connections when its database is dropped.
  pool.on('connect', client => client.on('error', () => undefined));
  const database = { pool } as Database;
  queue = new PostgresDeliveryQueue(database, keys);
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  deliveries = new Deliveries(prisma, new Webhooks(prisma, new WebhookHealths(database)), database);
}, 60_000);

afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

beforeEach(() => pool.query('TRUNCATE webhooks, webhook_secrets, deliveries, attempts'));

const endpoint = async (): Promise<string> => {
  const id = randomUUID();
  await pool.query(
    `INSERT INTO webhooks (id, service_id, url, events, enabled, created_at) VALUES ($1, $2, $3, '{}', true, now())`,
    [id, randomUUID(), `https://hooks.test/${id}`],
  );
  await pool.query('INSERT INTO webhook_secrets (webhook_id, current) VALUES ($1, $2)', [
    id,
    keys.seal(`of ${id}`, id),
  ]);
  return id;
};

const due = async (webhookId: string, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await queue.enqueueTest(webhookId, `{"number":${n}}`);
};

const enqueue = async (events: readonly QueuedEvent[]): Promise<void> => {
  const client = await pool.connect();
  await queue.enqueue(events, { client, afterCommit: effect => effect() });
  client.release();
};

const resultOf = (delivery: ClaimedDelivery, status: number, responseHead = ''): AttemptResult => ({
  delivery,
  startedAt: new Date(),
  response: { status, responseHead, latencyMs: 12 },
  outcome: status < 300 ? 'accepted' : 'retry',
  retryInMs: status < 300 ? undefined : 60_000,
});

const listOf = async (webhookId: string, limit: number) => {
  const { rows } = await pool.query('SELECT service_id FROM webhooks WHERE id = $1', [webhookId]);
  return deliveries.list({
    webhook_id: webhookId,
    service_id: rows[0]?.service_id,
    limit,
    offset: 0,
    state: undefined,
  });
};

const endLeases = () => pool.query("UPDATE deliveries SET claimed_until = now() - interval '1 ms'");

describe('an event', () => {
  it('becomes one delivery for each endpoint of its service, with an id that starts with the time', async () => {
    const webhookId = await endpoint();
    const { rows } = await pool.query<{ service_id: string }>(
      `UPDATE webhooks SET events = '{opened}' RETURNING service_id`,
    );
    const emailId = randomUUID();
    const event = { emailId, serviceId: rows[0]?.service_id ?? '', kind: 'opened' as const, traceparent: undefined };
    const before = Date.now();
    const events = Array.from({ length: 20 }, (_, n) => ({ ...event, id: randomUUID(), payload: `{"n":${n}}` }));
    await enqueue(events);
    // As after a restore of the log.
    await enqueue(events.slice(10));

    const { items } = await listOf(webhookId, 100);
    expect(new Set(items.map(({ id }) => id)).size).toBe(20);
    for (const { id } of items) {
      expect(id).toMatch(/^.{14}7/);
      expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBeGreaterThanOrEqual(before);
    }
  });
});

describe('a claim', () => {
  it('takes up to the limit of each endpoint, in order, with its current URL and secret', async () => {
    const [busy, fresh] = [await endpoint(), await endpoint()];
    await due(busy, 5);
    await due(fresh, 5);

    const claimed = await queue.claim(new Map([[busy, 1]]), 3);
    const of = (webhookId: string) => claimed.filter(delivery => delivery.webhookId === webhookId);
    expect(of(busy).map(({ payload }) => payload)).toEqual(['{"number":0}']);
    expect(of(fresh).map(({ payload }) => payload)).toEqual(['{"number":0}', '{"number":1}', '{"number":2}']);
    expect(of(fresh)[0]).toMatchObject({ url: `https://hooks.test/${fresh}`, secret: `of ${fresh}`, attempts: 0 });
  });

  it('returns a secret as soon as it is the current one', async () => {
    const webhookId = await endpoint();
    await due(webhookId, 2);
    await queue.claim(none, 1);
    await pool.query('UPDATE webhook_secrets SET current = $1', [keys.seal('the next one', webhookId)]);
    expect((await queue.claim(none, 1))[0]?.secret).toBe('the next one');
  });

  it('contains no delivery of a concurrent claim', async () => {
    const webhookId = await endpoint();
    await due(webhookId, 40);
    const claims = await Promise.all(Array.from({ length: 5 }, () => queue.claim(none, 8)));
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('updates no index', async () => {
    const webhookId = await endpoint();
    await due(webhookId, 5);
    const session = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    const updates = async () => {
      await session.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await session.query<{ all: number; hot: number }>(
        `SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'deliveries'`,
      );
      return rows[0] as { all: number; hot: number };
    };
    const before = await updates();
    await new PostgresDeliveryQueue({ pool: session } as Database, keys).claim(none, 5);
    const after = await updates();
    await session.end();
    expect({ all: after.all - before.all, hot: after.hot - before.hot }).toEqual({ all: 5, hot: 5 });
  });
});

describe('a lease', () => {
  it('that ends makes the delivery due again', async () => {
    const webhookId = await endpoint();
    await due(webhookId, 1);
    const [first] = await queue.claim(none, 1);
    expect(await queue.claim(none, 1)).toEqual([]);
    await endLeases();
    expect((await queue.claim(none, 1))[0]?.id).toBe(first?.id);
  });

  it('that was lost makes recording the attempt a no-op', async () => {
    const webhookId = await endpoint();
    await due(webhookId, 1);
    const [lost] = (await queue.claim(none, 1)) as [ClaimedDelivery];
    await endLeases();
    const [held] = (await queue.claim(none, 1)) as [ClaimedDelivery];

    await queue.record(resultOf(lost, 200));
    expect(await deliveries.find(webhookId, lost.id)).toMatchObject({ state: 'pending', attempts: [] });
    await queue.record(resultOf(held, 503));
    expect(await deliveries.find(webhookId, held.id)).toMatchObject({ state: 'pending', attempts: [{ status: 503 }] });
  });
});

describe('a recorded attempt', () => {
  it('that failed waits for its retry delay and not for its lease', async () => {
    const webhookId = await endpoint();
    await due(webhookId, 1);
    const [claimed] = (await queue.claim(none, 1)) as [ClaimedDelivery];
    await queue.record(resultOf(claimed, 503));
    await pool.query('UPDATE deliveries SET next_attempt_at = now()');
    expect((await queue.claim(none, 1))[0]).toMatchObject({ id: claimed.id, attempts: 1 });
  });

  it('stores a response unchanged, in a batch of any size', async () => {
    const webhookId = await endpoint();
    const heads = Array.from({ length: 40 }, (_, n) => ['{"a", \\b}', 'NULL', '', ' two\n"lines" '][n % 4] as string);
    await due(webhookId, heads.length);
    const claimed = await queue.claim(none, heads.length);
    await Promise.all(claimed.map((delivery, n) => queue.record(resultOf(delivery, 200, heads[n]))));
    const stored = await Promise.all(claimed.map(({ id }) => deliveries.find(webhookId, id)));
    expect(stored.map(row => row?.attempts[0]?.response_head)).toEqual(heads);
  });
});

describe('a replay of missed deliveries', () => {
  it('runs in batches, and replays each missed delivery once', async () => {
    const webhookId = await endpoint();
    await pool.query(
      `INSERT INTO deliveries (id, webhook_id, event_id, payload, state, created_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), '{}', (ARRAY['held', 'refused', 'dropped'])[1 + n % 3],
         now() - interval '1 h' * (n / 500)
       FROM generate_series(0, 2499) AS n`,
      [webhookId],
    );
    const since = new Date(Date.now() - 3.5 * 3_600_000);
    expect(await queue.replayMissed(webhookId, since)).toBe(2_000);
    expect(await queue.replayMissed(webhookId, since)).toBe(0);
    expect(await queue.replayMissed(webhookId, new Date(0))).toBe(500);
    const { rows } = await pool.query(
      `SELECT count(*)::int AS replays, count(DISTINCT replay_of)::int AS originals, count(DISTINCT id)::int AS ids,
         count(DISTINCT xmin::text)::int AS transactions
       FROM deliveries WHERE replay_of IS NOT NULL AND state = 'pending'`,
    );
    expect(rows).toEqual([{ replays: 2_500, originals: 2_500, ids: 2_500, transactions: 3 }]);
  });
});

describe('a purge', () => {
  it('deletes old finished deliveries with their attempts, and keeps pending ones', async () => {
    const webhookId = await endpoint();
    await due(webhookId, 3);
    const [old, retried] = (await queue.claim(none, 2)) as [ClaimedDelivery, ClaimedDelivery];
    await Promise.all([queue.record(resultOf(old, 200)), queue.record(resultOf(retried, 503))]);
    // The ids begin with the time of creation.
    await pool.query(`UPDATE attempts SET delivery_id = overlay(delivery_id::text PLACING '0190' FROM 1)::uuid;
      UPDATE deliveries SET id = overlay(id::text PLACING '0190' FROM 1)::uuid, finished_at = finished_at - interval '40 days'`);
    expect(await queue.purgeFinishedBefore(new Date(Date.now() - 30 * 24 * 3_600_000))).toBe(1);
    expect((await listOf(webhookId, 10)).total).toBe(2);
    expect((await pool.query('SELECT delivery_id FROM attempts')).rows).toEqual([
      { delivery_id: retried.id.replace(/^.{4}/, '0190') },
    ]);
  });

  it('runs in batches, so that no long transaction delays the event feed', async () => {
    const webhookId = await endpoint();
    await pool.query(
      `INSERT INTO deliveries (id, webhook_id, event_id, payload, state, created_at, finished_at)
       SELECT overlay(gen_random_uuid()::text PLACING '0190' FROM 1)::uuid, $1, NULL, '{}', 'accepted', now() - interval '40 days', now() - interval '40 days'
       FROM generate_series(1, 2500)`,
      [webhookId],
    );
    await pool.query(`
      CREATE TABLE purged (txid xid8 DEFAULT pg_current_xact_id());
      CREATE FUNCTION note_purged() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO purged DEFAULT VALUES; RETURN OLD; END $$;
      CREATE TRIGGER noted BEFORE DELETE ON deliveries FOR EACH ROW EXECUTE FUNCTION note_purged()`);
    try {
      expect(await queue.purgeFinishedBefore(new Date(Date.now() - 30 * 24 * 3_600_000))).toBe(2_500);
      const { rows } = await pool.query('SELECT count(*)::int AS rows FROM purged GROUP BY txid ORDER BY 1');
      expect(rows).toEqual([{ rows: 500 }, { rows: 1_000 }, { rows: 1_000 }]);
    } finally {
      await pool.query('DROP TRIGGER noted ON deliveries; DROP FUNCTION note_purged; DROP TABLE purged');
    }
  });
});

describe('a claimed delivery that is read again', () => {
  const claimOne = async () => {
    const webhookId = await endpoint();
    await due(webhookId, 1);
    const [delivery] = await queue.claim(none, 1);
    return delivery!;
  };

  it('has the current URL and secret of its endpoint', async () => {
    const delivery = await claimOne();
    const { webhookId } = delivery;
    await pool.query(`UPDATE webhooks SET url = 'https://new.test/' WHERE id = $1`, [webhookId]);
    const secret = keys.seal('the next secret', webhookId);
    await pool.query('UPDATE webhook_secrets SET current = $2 WHERE webhook_id = $1', [webhookId, secret]);
    expect(await queue.readAgain(delivery)).toMatchObject({
      id: delivery.id,
      fence: delivery.fence,
      url: 'https://new.test/',
      secret: 'the next secret',
    });
  });

  it.each([
    ['disabled', 'UPDATE webhooks SET enabled = false WHERE id = $1'],
    ['removed', 'DELETE FROM webhook_secrets WHERE webhook_id = $1'],
  ])('is absent after its endpoint was %s', async (_, change) => {
    const delivery = await claimOne();
    await pool.query(change, [delivery.webhookId]);
    expect(await queue.readAgain(delivery)).toBeUndefined();
  });

  it('is absent after another replica has claimed it', async () => {
    const delivery = await claimOne();
    await endLeases();
    await queue.claim(none, 1);
    expect(await queue.readAgain(delivery)).toBeUndefined();
  });
});
