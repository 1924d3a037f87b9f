import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { QueueFixture, resultOf } from '../testing/queue-fixture.js';
import type { DueDelivery } from './ports.js';

const fixture = await QueueFixture.start();
afterAll(() => fixture.stop());
beforeEach(() => fixture.clear());

const payloadsOf = (list: readonly DueDelivery[]) => list.map(({ payload }) => payload);
const passTime = () => fixture.pool.query("UPDATE deliveries SET next_attempt_at = now() WHERE state = 'pending'");

describe('an event', () => {
  it('becomes one delivery for each endpoint of its service, with an id that starts with the time', async () => {
    const webhookId = await fixture.endpoint();
    const { rows } = await fixture.pool.query<{ service_id: string }>(
      `UPDATE webhooks SET events = '{opened}' RETURNING service_id`,
    );
    const emailId = randomUUID();
    const event = { emailId, serviceId: rows[0]?.service_id ?? '', kind: 'opened' as const, traceparent: undefined };
    const before = Date.now();
    const events = Array.from({ length: 20 }, (_, n) => ({ ...event, id: uuidv7(), payload: `{"n":${n}}` }));
    await fixture.enqueue(events);
    // As after a restore of the log.
    await fixture.enqueue(events.slice(10));

    const { items } = await fixture.listOf(webhookId, 100);
    expect(new Set(items.map(({ id }) => id)).size).toBe(20);
    expect(items.map(({ payload }) => payload)).toEqual(events.map(({ payload }) => JSON.parse(payload)).toReversed());
    for (const { id } of items) {
      expect(id).toMatch(/^.{14}7.{4}8/);
      expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBeGreaterThanOrEqual(before);
    }
  });
});

describe('a read of due deliveries', () => {
  it('takes up to the limit of each endpoint, in order, with its current URL and secret', async () => {
    const [busy, fresh] = [await fixture.endpoint(), await fixture.endpoint()];
    await fixture.due(busy, 5);
    await fixture.due(fresh, 5);

    const list = await fixture.read(3, new Map([[busy, 1]]));
    const of = (webhookId: string) => list.filter(delivery => delivery.webhookId === webhookId);
    expect(payloadsOf(of(busy))).toEqual(['{"number":0}']);
    expect(payloadsOf(of(fresh))).toEqual(['{"number":0}', '{"number":1}', '{"number":2}']);
    expect(of(fresh)[0]).toMatchObject({ url: `https://hooks.test/${fresh}`, secret: `of ${fresh}`, attempts: 0 });
  });

  it('returns a secret as soon as it is the current one', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.due(webhookId, 2);
    await fixture.read(1);
    await fixture.pool.query('UPDATE webhook_secrets SET current = $1', [fixture.keys.seal('the next one', webhookId)]);
    expect((await fixture.read(1))[0]?.secret).toBe('the next one');
  });

  it('writes nothing, and contains no delivery in progress', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.due(webhookId, 40);
    const before = await fixture.pool.query('SELECT id, xmin FROM deliveries ORDER BY id');
    const first = await fixture.read(8);
    const second = await fixture.read(
      8,
      new Map([[webhookId, 8]]),
      first.map(({ id }) => id),
    );
    expect(payloadsOf([...first, ...second])).toEqual(Array.from({ length: 16 }, (_, n) => `{"number":${n}}`));
    expect((await fixture.pool.query('SELECT id, xmin FROM deliveries ORDER BY id')).rows).toEqual(before.rows);
  });

  it('is empty for a dispatcher that does not own the partition of the webhook, or whose lease has ended', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.due(webhookId, 1);
    const request = { partitions: fixture.partitions.served, limits: new Map(), defaultLimit: 8, inProgress: [] };
    const { name } = fixture.partitions.dispatcher!;
    const others = fixture.partitions.served.filter(partition => partition !== 0);
    await fixture.pool.query('UPDATE webhooks SET workspace_id = $1', ['0198c0de-0000-7000-8000-000000000040']);
    expect(await fixture.queue.due({ ...request, dispatcher: name })).toHaveLength(1);
    expect(await fixture.queue.due({ ...request, dispatcher: name, partitions: others })).toEqual([]);
    expect(await fixture.queue.due({ ...request, dispatcher: 'dispatcher other' })).toEqual([]);
    await fixture.pool.query(
      "UPDATE event_store.leases SET expires_at = clock_timestamp() - interval '1 ms' WHERE name = $1",
      [name],
    );
    expect(await fixture.queue.due({ ...request, dispatcher: name })).toEqual([]);
    await fixture.pool.query(
      "UPDATE event_store.leases SET expires_at = clock_timestamp() + interval '12 s' WHERE name = $1",
      [name],
    );
  });
});

describe('a webhook with an order', () => {
  const ordered = async (count: number) => {
    const webhookId = await fixture.endpoint();
    await fixture.pool.query('UPDATE webhooks SET ordered = true');
    await fixture.due(webhookId, count);
    return webhookId;
  };

  it('gets no other delivery while one that failed waits for its next attempt', async () => {
    await ordered(3);
    const [first] = await fixture.read(8);
    await fixture.queue.record(resultOf(first!, 503));
    expect(await fixture.read(8)).toEqual([]);
    await passTime();
    const [again, ...rest] = await fixture.read(8);
    expect([again?.id, rest]).toEqual([first?.id, []]);
    expect(await fixture.read(8, new Map(), [again!.id])).toEqual([]);
    await fixture.queue.record(resultOf(again!, 200));
    expect(payloadsOf(await fixture.read(8))).toEqual(['{"number":1}', '{"number":2}']);
  });

  it('gets the next delivery after one was refused', async () => {
    await ordered(2);
    const [first] = await fixture.read(1);
    await fixture.queue.record({ ...resultOf(first!, 410), outcome: 'refused', retryInMs: undefined });
    expect(payloadsOf(await fixture.read(8))).toEqual(['{"number":1}']);
  });

  it('gets the oldest failed delivery first if several had failed before it had an order', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.due(webhookId, 3);
    const list = await fixture.read(2);
    for (const delivery of list.toReversed()) await fixture.queue.record(resultOf(delivery, 503));
    await passTime();
    await fixture.pool.query('UPDATE webhooks SET ordered = true');
    for (const n of [0, 1, 2]) {
      const [next] = await fixture.read(1);
      expect(next?.payload).toBe(`{"number":${n}}`);
      await fixture.queue.record(resultOf(next!, 200));
    }
  });

  it('is not held back by a test that failed', async () => {
    const webhookId = await ordered(1);
    const test = await fixture.queue.enqueueTest(webhookId, '{"test":true}');
    await fixture.queue.record(resultOf(test!, 503));
    expect(payloadsOf(await fixture.read(8))).toEqual(['{"number":0}']);
  });
});

describe('a recorded attempt', () => {
  it('that failed makes the delivery due after its retry delay', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.due(webhookId, 1);
    const [first] = await fixture.read(1);
    await fixture.queue.record(resultOf(first!, 503));
    expect(await fixture.read(1)).toEqual([]);
    await passTime();
    expect((await fixture.read(1))[0]).toMatchObject({ id: first!.id, attempts: 1 });
  });

  it('that failed does not count after another one, and one that was accepted does', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.due(webhookId, 1);
    const [old] = await fixture.read(1);
    const { id } = old!;
    await fixture.queue.record(resultOf(old!, 503));
    await fixture.queue.record(resultOf(old!, 500));
    expect(await fixture.deliveries.find(webhookId, id)).toMatchObject({
      state: 'pending',
      attempts: [{ status: 503 }],
    });
    await fixture.queue.record(resultOf(old!, 200));
    await fixture.queue.record(resultOf({ ...old!, attempts: 1 }, 503));
    expect(await fixture.deliveries.find(webhookId, id)).toMatchObject({
      state: 'accepted',
      attempts: [
        { number: 1, outcome: 'retry', status: 503 },
        { number: 2, outcome: 'accepted', status: 200, latency_ms: 12, error: null },
      ],
    });
  });

  it('is recorded once the database accepts it again', async () => {
    const webhookId = await fixture.endpoint();
    await fixture.due(webhookId, 1);
    const [delivery] = await fixture.read(1);
    await fixture.pool.query('ALTER TABLE attempts RENAME TO away');
    const recorded = fixture.queue.record(resultOf(delivery!, 200));
    await waitFor(
      async () =>
        (
          await fixture.pool.query(
            'SELECT 1 FROM pg_stat_database WHERE datname = current_database() AND xact_rollback > 0',
          )
        ).rowCount === 1,
    );
    await fixture.pool.query('ALTER TABLE away RENAME TO attempts');
    await recorded;
    expect(await fixture.deliveries.find(webhookId, delivery!.id)).toMatchObject({ state: 'accepted' });
  });

  it('stores a response unchanged, in a batch of any size', async () => {
    const webhookId = await fixture.endpoint();
    const heads = Array.from({ length: 40 }, (_, n) => ['{"a", \\b}', 'NULL', '', ' two\n"lines" '][n % 4] as string);
    await fixture.due(webhookId, heads.length);
    const list = await fixture.read(heads.length);
    await Promise.all(
      list.map((delivery, n) => fixture.queue.record(resultOf(delivery, n % 8 < 4 ? 200 : 503, heads[n]))),
    );
    const stored = await Promise.all(list.map(({ id }) => fixture.deliveries.find(webhookId, id)));
    expect(stored.map(row => row?.attempts[0]?.response_head)).toEqual(heads);
  });
});

describe('a delivery that is read again', () => {
  const readOne = async () => {
    const webhookId = await fixture.endpoint();
    await fixture.due(webhookId, 1);
    const [delivery] = await fixture.read(1);
    return delivery!;
  };

  it('has the current URL and secret of its endpoint', async () => {
    const delivery = await readOne();
    const { webhookId } = delivery;
    await fixture.pool.query(`UPDATE webhooks SET url = 'https://new.test/' WHERE id = $1`, [webhookId]);
    const secret = fixture.keys.seal('the next secret', webhookId);
    await fixture.pool.query('UPDATE webhook_secrets SET current = $2 WHERE webhook_id = $1', [webhookId, secret]);
    expect(await fixture.queue.readAgain(delivery)).toMatchObject({
      id: delivery.id,
      url: 'https://new.test/',
      secret: 'the next secret',
    });
  });

  it.each([
    ['disabled', 'UPDATE webhooks SET enabled = false WHERE id = $1'],
    ['removed', 'DELETE FROM webhook_secrets WHERE webhook_id = $1'],
  ])('is absent after its endpoint was %s', async (_, change) => {
    const delivery = await readOne();
    await fixture.pool.query(change, [delivery.webhookId]);
    expect(await fixture.queue.readAgain(delivery)).toBeUndefined();
  });

  it('is absent after an attempt was recorded', async () => {
    const delivery = await readOne();
    await fixture.queue.record(resultOf(delivery, 503));
    expect(await fixture.queue.readAgain(delivery)).toBeUndefined();
  });
});
