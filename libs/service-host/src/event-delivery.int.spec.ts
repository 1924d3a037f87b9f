import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DiscardPolicy, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { Controller, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { eventsOf } from '@postern/contracts';
import {
  migrateEventStore,
  OutboxRelay,
  type OutboxRelayOptions,
  PostgresEventStore,
  ProjectionRunner,
} from '@postern/event-sourcing/postgres';
import {
  connectNats,
  type EventBatch,
  HandlesEvents,
  JetStreamPublisher,
  type JetStreamPublisherOptions,
  type Log,
  type NatsLink,
  PosternServer,
} from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { z } from 'zod';
import { Operating } from './operations/operating.js';
import { operationsController } from './operations/operations.controller.js';

const counted = eventsOf('email-send')('counted.v1', z.object({ n: z.int(), padding: z.string() }));
const metadata = { correlationId: 'c-1' };
const STREAM = 'postern-email-send';
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** What the consumer's inbox would keep: each event once, in the order of arrival. */
let taken: Map<string, number>;
/** Holds handlers up while it is not resolved. */
let gate: Promise<void>;

@Controller()
class Counter {
  @HandlesEvents([counted], { consumer: 'counter' })
  async count(batch: EventBatch<typeof counted>): Promise<void> {
    await gate;
    for (const { id, data } of batch) if (!taken.has(id)) taken.set(id, data.n);
  }
}

@Module({ controllers: [Counter] })
class Consumer {}

describe.each(['2.9', '2.12'] as const)('On its way over nats-server %s, an event', version => {
  let nats: TestNats;
  let postgres: TestPostgres;
  let pool: pg.Pool;
  let store: PostgresEventStore;
  let relay: OutboxRelay | undefined;
  const links: NatsLink[] = [];
  const lines: string[] = [];
  const log: Log = {
    info: (_fields, line) => lines.push(line),
    warn: (_fields, line) => lines.push(line),
    error: (_fields, line) => lines.push(line),
  };
  const stops: (() => Promise<void>)[] = [];

  const connect = async () => {
    const link = await connectNats({ servers: nats.url, name: 'event-delivery' });
    links.push(link);
    return link;
  };

  beforeEach(async () => {
    taken = new Map();
    gate = Promise.resolve();
    lines.length = 0;
    nats = await startNats({ version });
    postgres = await startPostgres({ durable: false });
    pool = new pg.Pool({ connectionString: await postgres.createDatabase(), max: 8 });
    pool.on('error', () => undefined);
    await migrateEventStore(pool);
    store = new PostgresEventStore(pool);
  }, 60_000);

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await relay?.stop();
    relay = undefined;
    for (const link of links.splice(0)) await link.close();
    await nats.stop();
    await pool.end();
    await postgres.stop();
  });

  const serve = async (module: Type, service: 'email-send' | 'delivery-tracking') => {
    const strategy = new PosternServer({ link: await connect(), service, log });
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await app.listen();
    const stop = () => app.close();
    stops.push(stop);
    return {
      stop: async () => {
        stops.splice(stops.indexOf(stop), 1);
        await stop();
      },
    };
  };

  const startRelay = async (
    options: Partial<JetStreamPublisherOptions> = {},
    told: Partial<OutboxRelayOptions> = {},
  ) => {
    const publisher = new JetStreamPublisher(await connect(), {
      service: 'email-send',
      contracts: [counted],
      ...options,
    });
    relay = new OutboxRelay({ store, publisher, types: [counted.type], pollMs: 20, ...told });
    relay.start();
    return relay;
  };

  const startConsumer = () => serve(Consumer, 'delivery-tracking');

  /** What the publishing service answers while its relay runs. */
  const startOperations = async (outbox: OutboxRelay) => {
    const projections = new ProjectionRunner({ store, projections: [] });
    const operating = new Operating({ database: { pool } as never, projections, log: log as never, outbox });
    @Module({
      controllers: [operationsController('email-send')],
      providers: [{ provide: Operating, useValue: operating }],
    })
    class Publisher {}
    await serve(Publisher, 'email-send');
    return operating;
  };

  const append = async (from: number, to: number) => {
    for (let start = from; start <= to; start += 100)
      await store.append(
        'counter',
        numbers(start, Math.min(to, start + 99)).map(n => ({
          type: counted.type,
          data: { n, padding: 'x'.repeat(500) },
        })),
        { expectedVersion: 'any', metadata },
      );
  };

  const takenAll = (last: number) =>
    waitFor(() => taken.size === last, {
      timeoutMs: 20_000,
      describe: () => `${last} events to be taken, not ${taken.size}`,
    });

  const manager = async () => jetstreamManager((await connect()).nc);
  const streamInfo = async () => (await manager()).streams.info(STREAM);
  const LOST = 'The stream lost events before this consumer took them';

  it('waits in the log while the stream is full, and is taken once in its order when the consumer is back', async () => {
    const blockages: string[] = [];
    await startRelay(
      { maxBytes: 128 * 1024 },
      {
        onBlocked: ({ condition, reason }) => blockages.push(`${condition}: ${reason}`),
        onUnblocked: () => blockages.push('room again'),
      },
    );
    const consumer = await startConsumer();
    await append(1, 10);
    await takenAll(10);
    await consumer.stop();
    // About 1.5 MB, twelve times what the stream holds.
    await append(11, 2_000);
    await waitFor(async () => (await relay?.status())?.blockage?.condition === 'full', { describe: 'a full stream' });
    expect((await streamInfo()).state.first_seq).toBeLessThanOrEqual(11);
    await startConsumer();
    await takenAll(2_000);
    expect([...taken.values()]).toEqual(numbers(1, 2_000));
    await waitFor(async () => (await relay?.status())?.blockage === undefined, { describe: 'room again' });
    await waitFor(async () => (await relay?.status())?.lag === 0, { describe: 'nothing that waits' });
    expect(blockages).toEqual([
      `full: the stream ${STREAM} is full, and the consumer delivery-tracking-counter has not taken its events`,
      'room again',
    ]);
    expect(lines).not.toContain(LOST);
  });

  it('is removed from the stream when it is old and everybody has taken it, and not before', async () => {
    await startRelay({ maxAgeMs: 100 });
    const consumer = await startConsumer();
    await append(1, 10);
    await takenAll(10);
    await consumer.stop();
    await append(11, 15);
    await waitFor(async () => (await streamInfo()).state.first_seq === 11, { describe: 'old events to be removed' });
    expect((await streamInfo()).state.messages).toBe(5);
    await startConsumer();
    await takenAll(15);
    await waitFor(async () => (await streamInfo()).state.messages === 0, { describe: 'the others to be removed' });
    expect(lines).not.toContain(LOST);
    await waitFor(async () => (await pool.query('SELECT FROM event_store.outbox_gaps')).rowCount === 0, {
      timeoutMs: 10_000,
      describe: 'the end of what was reported missing',
    });
  });

  it('stays in a stream of an older release, which becomes one that drops nothing', async () => {
    const jsm = await manager();
    await jsm.streams.add({
      name: STREAM,
      subjects: ['postern.events.email-send.>'],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_bytes: 1024 ** 3,
      max_age: 7 * 24 * 3_600_000 * 1_000_000,
      duplicate_window: 120_000 * 1_000_000,
      num_replicas: 1,
    });
    for (const n of numbers(1, 5)) await jsm.jetstream().publish(counted.subject, `{"n":${n}}`);
    await startRelay();
    await append(6, 6);
    await waitFor(async () => (await streamInfo()).state.messages === 6, { describe: 'the sixth event' });
    const { config, state } = await streamInfo();
    expect(config).toMatchObject({ discard: DiscardPolicy.New, max_age: 0, max_bytes: 1024 ** 3 });
    expect(state).toMatchObject({ first_seq: 1, messages: 6 });
  });

  it('comes again when the stream loses it under the hands of a consumer', async () => {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    gate = promise;
    await startOperations(await startRelay());
    await startConsumer();
    await append(1, 6_000);
    await waitFor(async () => (await streamInfo()).state.last_seq === 6_000, { describe: 'all to be published' });
    const jsm = await manager();
    await waitFor(
      async () => (await jsm.consumers.info(STREAM, 'delivery-tracking-counter')).delivered.stream_seq > 0,
      { describe: 'deliveries' },
    );
    const { delivered } = await jsm.consumers.info(STREAM, 'delivery-tracking-counter');
    expect(delivered.stream_seq).toBeLessThan(5_000);
    await jsm.streams.purge(STREAM, { seq: 5_501 });
    open();
    await takenAll(6_000);
    expect(new Set(taken.values()).size).toBe(6_000);
    expect(lines.filter(line => line === LOST)).toHaveLength(1);
    await waitFor(async () => (await pool.query('SELECT FROM event_store.outbox_gaps')).rowCount === 0, {
      timeoutMs: 10_000,
      describe: 'the end of what was reported missing',
    });
  });

  it('comes again when the stream loses it while its consumer is away', async () => {
    const gaps: object[] = [];
    await startRelay({}, { onGap: gap => gaps.push(gap) });
    const consumer = await startConsumer();
    await append(1, 100);
    await takenAll(100);
    await consumer.stop();
    await append(101, 500);
    await waitFor(async () => (await streamInfo()).state.last_seq === 500, { describe: 'all to be published' });
    const isWatched = async () =>
      (await pool.query('SELECT FROM event_store.outbox WHERE broker_first = 1')).rowCount === 1;
    await waitFor(isWatched, { describe: 'the relay to know where the stream begins' });
    await (await manager()).streams.purge(STREAM, { seq: 401 });
    await startConsumer();
    await takenAll(500);
    expect(gaps).toMatchObject([{ last: 400 }]);
  });

  it('comes again when NATS lost its storage', async () => {
    await startOperations(await startRelay());
    await startConsumer();
    await append(1, 500);
    await takenAll(500);
    await nats.kill();
    await append(501, 3_000);
    await nats.restart({ wipe: true });
    await takenAll(3_000);
    expect(new Set(taken.values()).size).toBe(3_000);
    expect(lines).not.toContain(LOST);
  });

  describe('where the disk is small', () => {
    let dir: string;
    const allow = (size: string) => writeFile(join(dir, 'nats.conf'), `jetstream { max_file_store: ${size} }\n`);

    beforeEach(async () => {
      await nats.stop();
      dir = await mkdtemp(join(tmpdir(), 'postern-small-'));
    });
    afterEach(() => rm(dir, { recursive: true, force: true }));

    const restartWith = async (size: string) => {
      await allow(size);
      await nats.kill();
      await nats.restart();
    };

    it('goes through a smaller stream, which grows when there is room', async () => {
      await allow('100MB');
      nats = await startNats({ version, args: ['-c', join(dir, 'nats.conf')] });
      const sizes: object[] = [];
      await startRelay({ onSmaller: size => sizes.push(size) });
      await startConsumer();
      await append(1, 10);
      await takenAll(10);
      expect((await streamInfo()).config.max_bytes).toBe(64 * 1024 ** 2);
      expect(sizes).toEqual([{ bytes: 64 * 1024 ** 2, wanted: 1024 ** 3 }]);
      await restartWith('2GB');
      await append(11, 20);
      await takenAll(20);
      await waitFor(async () => (await streamInfo()).config.max_bytes === 1024 ** 3, { describe: 'a larger stream' });
    });

    it('waits where there is no room at all, and says so until there is', async () => {
      await allow('8MB');
      nats = await startNats({ version, args: ['-c', join(dir, 'nats.conf')] });
      const operating = await startOperations(await startRelay());
      await startConsumer();
      await append(1, 10);
      await waitFor(async () => (await relay?.status())?.blockage?.condition === 'no_storage', { describe: 'no room' });
      expect((await operating.outbox()).outbox?.blocked?.reason).toContain('NATS has no room for the stream');
      expect(taken.size).toBe(0);
      await restartWith('2GB');
      await takenAll(10);
      await waitFor(async () => (await relay?.status())?.blockage === undefined, { describe: 'room' });
    });
  });
});
