import { afterEach, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import type { RecordedEvent } from '../event.js';
import { counted, freshStores, metadata } from '../testing/store-under-test.js';
import { OutboxRelay, type OutboxRelayOptions, PostgresEventStore, ProjectionRunner, type Publisher } from './index.js';

const stores = freshStores();
const relays: OutboxRelay[] = [];

afterEach(async () => {
  await Promise.all(relays.splice(0).map(relay => relay.stop()));
});

/** A broker that stores events, drops repeated ids, and loses events on request. */
class FakeBroker implements Publisher {
  stored: RecordedEvent[] = [];
  /** Every event of every call, repetitions included. */
  readonly offered: string[] = [];
  created = 'first';
  exists = false;
  refuses: Error | undefined;
  /** Called after events are stored and before they are acknowledged. */
  afterStoring: (() => Promise<void>) | undefined;

  async publish(batch: readonly RecordedEvent[]) {
    if (this.refuses) throw this.refuses;
    this.exists = true;
    for (const event of batch) {
      this.offered.push(event.id);
      if (!this.stored.some(({ id }) => id === event.id)) this.stored.push(event);
    }
    await this.afterStoring?.();
    return { lastSequence: this.stored.length };
  }

  async state() {
    if (this.refuses) throw this.refuses;
    return this.exists ? { created: this.created, lastSequence: this.stored.length } : undefined;
  }

  numbers() {
    return this.stored.map(({ data }) => (data as { n: number }).n);
  }
}

const relayOf = (store: PostgresEventStore, publisher: Publisher, more: Partial<OutboxRelayOptions> = {}) => {
  const relay = new OutboxRelay({
    store,
    publisher,
    types: ['test.counted.v1'],
    batchSize: 10,
    pollMs: 20,
    ...more,
  });
  relays.push(relay);
  relay.start();
  return relay;
};

const append = async (store: PostgresEventStore, from: number, to: number) => {
  for (let n = from; n <= to; n++) await store.append(`s${n % 3}`, counted(n), { expectedVersion: 'any', metadata });
};

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const holds = (broker: FakeBroker, last: number) =>
  waitFor(() => new Set(broker.numbers()).size === last, {
    describe: () => `${last} events at the broker, which has ${broker.stored.length}`,
  });

it('publishes what another process appended when the projections of its own process find it', async () => {
  const { store, pool } = await stores.fresh();
  const broker = new FakeBroker();
  const relay = relayOf(store, broker, { pollMs: 3_600_000 });
  await waitFor(async () => (await relay.status()).leading, { describe: () => 'the relay leads' });
  const runner = new ProjectionRunner({ store, projections: [], pollMs: 20 });
  await runner.start();
  await append(new PostgresEventStore(pool), 1, 3);
  await holds(broker, 3);
  await runner.stop();
});

it('publishes only events of its types, in commit order', async () => {
  const { store } = await stores.fresh();
  const broker = new FakeBroker();
  await append(store, 1, 25);
  await store.append('private', [{ type: 'private', data: {} }], { expectedVersion: 'none', metadata });
  const relay = relayOf(store, broker);
  await append(store, 26, 30);
  await holds(broker, 30);
  expect(broker.numbers()).toEqual(upTo(30));
  expect(broker.offered).toHaveLength(30);
  await waitFor(async () => (await relay.status()).lag === 0, { describe: 'no lag' });
  expect(await relay.status()).toMatchObject({ leading: true, published: 30, regressions: 0, lastError: undefined });
});

it('runs in one replica, and another continues where the first stopped', async () => {
  const { store } = await stores.fresh();
  const broker = new FakeBroker();
  const first = relayOf(store, broker);
  await append(store, 1, 5);
  await holds(broker, 5);
  const second = relayOf(store, broker);
  await append(store, 6, 10);
  await holds(broker, 10);
  expect((await second.status()).leading).toBe(false);
  await first.stop();
  await append(store, 11, 15);
  await holds(broker, 15);
  expect(broker.numbers()).toEqual(upTo(15));
  expect(broker.offered).toHaveLength(15);
});

it('loses nothing when it crashes between publishing and saving the checkpoint', async () => {
  const { store, pool } = await stores.fresh();
  const broker = new FakeBroker();
  broker.afterStoring = async () => {
    broker.afterStoring = undefined;
    // Terminates all connections of the relay's process, and its lock, before it receives the acknowledgement.
    await pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    throw new Error('killed');
  };
  await append(store, 1, 25);
  relayOf(store, broker);
  await holds(broker, 25);
  expect(broker.numbers()).toEqual(upTo(25));
  expect(broker.offered.length).toBeGreaterThan(25);
});

it('reports an unavailable broker, and continues when it is back', async () => {
  const { store } = await stores.fresh();
  const broker = new FakeBroker();
  broker.refuses = new Error('NATS is unavailable');
  const relay = relayOf(store, broker);
  await append(store, 1, 5);
  await waitFor(async () => (await relay.status()).lastError === 'NATS is unavailable', { describe: 'the error' });
  expect(await relay.status()).toMatchObject({ lag: 5, published: 0 });
  broker.refuses = undefined;
  await holds(broker, 5);
  await waitFor(async () => (await relay.status()).lastError === undefined, { describe: 'no error any more' });
});

it('publishes everything again to a stream that was created again', async () => {
  const { store } = await stores.fresh();
  const broker = new FakeBroker();
  const causes: string[] = [];
  const relay = relayOf(store, broker, { onRegression: cause => causes.push(cause) });
  await append(store, 1, 25);
  await holds(broker, 25);
  broker.stored = [];
  broker.created = 'second';
  await holds(broker, 25);
  await append(store, 26, 30);
  await holds(broker, 30);
  expect(broker.numbers()).toEqual(upTo(30));
  expect(causes).toEqual(['the stream was lost']);
  expect((await relay.status()).regressions).toBe(1);
});

it('detects a stream that was created again while the relay was down, and one that is missing', async () => {
  const { store } = await stores.fresh();
  const broker = new FakeBroker();
  const relay = relayOf(store, broker);
  await append(store, 1, 15);
  await holds(broker, 15);
  await waitFor(async () => (await relay.status()).lag === 0, { describe: 'the checkpoint' });
  await relay.stop();
  broker.stored = [];
  broker.exists = false;
  broker.created = 'second';
  await append(store, 16, 20);
  relayOf(store, broker);
  await holds(broker, 20);
  expect(broker.numbers()).toEqual(upTo(20));
});

it('publishes events again that a broker lost, when its sequence is lower', async () => {
  const { store, pool } = await stores.fresh();
  const broker = new FakeBroker();
  const relay = relayOf(store, broker);
  await append(store, 1, 20);
  await holds(broker, 20);
  await waitFor(async () => (await relay.status()).lag === 0, { describe: 'the checkpoint' });
  await relay.stop();
  const next = relayOf(store, broker);
  await append(store, 21, 40);
  await holds(broker, 40);
  await waitFor(async () => (await next.status()).lag === 0, { describe: 'the checkpoint' });
  expect((await pool.query('SELECT FROM event_store.outbox_trail')).rowCount).toBeGreaterThan(1);

  broker.stored.length = 33;
  await holds(broker, 40);
  expect(new Set(broker.numbers())).toEqual(new Set(upTo(40)));
  expect((await next.status()).regressions).toBe(1);
});

it('never skips events that were not published, for any look-back time', async () => {
  const { store } = await stores.fresh();
  const broker = new FakeBroker();
  const relay = relayOf(store, broker);
  await append(store, 1, 5);
  await holds(broker, 5);
  await waitFor(async () => (await relay.status()).lag === 0, { describe: 'the checkpoint' });
  await relay.stop();
  await append(store, 6, 10);
  broker.stored = [];
  broker.created = 'second';
  // All events are older than the look-back time.
  relayOf(store, broker, { lookBackDays: -1 });
  await waitFor(() => broker.numbers().includes(10), { describe: 'the last event' });
  expect(broker.numbers()).toEqual([6, 7, 8, 9, 10]);
});
