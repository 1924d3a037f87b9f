import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { eventsOf } from '@postern/contracts';
import { migrateEventStore, OutboxRelay, PostgresEventStore } from '@postern/event-sourcing/postgres';
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

const counted = eventsOf('email-send')('counted.v1', z.object({ n: z.int(), padding: z.string() }));
const metadata = { correlationId: 'c-1' };
const STREAM = 'postern-email-send';
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** What the consumer's inbox would keep: each event once, in the order of arrival. */
let taken: Map<string, number>;

@Controller()
class Counter {
  @HandlesEvents([counted], { consumer: 'counter' })
  count(batch: EventBatch<typeof counted>): void {
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

  const startRelay = async (options: Partial<JetStreamPublisherOptions> = {}) => {
    const publisher = new JetStreamPublisher(await connect(), {
      service: 'email-send',
      contracts: [counted],
      ...options,
    });
    relay = new OutboxRelay({ store, publisher, types: [counted.type], pollMs: 20 });
    relay.start();
    return relay;
  };

  const startConsumer = async () => {
    const strategy = new PosternServer({ link: await connect(), service: 'delivery-tracking', log });
    const app = await NestFactory.createMicroservice(Consumer, { strategy, logger: false });
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

  const streamInfo = async () => {
    const jsm = await jetstreamManager((await connect()).nc);
    return jsm.streams.info(STREAM);
  };

  it('waits in the log while the stream is full, and is taken once in its order when the consumer is back', async () => {
    await startRelay({ maxBytes: 128 * 1024 });
    const consumer = await startConsumer();
    await append(1, 10);
    await takenAll(10);
    await consumer.stop();
    // About 1.5 MB, twelve times what the stream holds.
    await append(11, 2_000);
    await waitFor(async () => (await relay?.status())?.published !== 10, { describe: 'events to be published' });
    await waitFor(async () => (await streamInfo()).state.bytes > 100 * 1024, { describe: 'a full stream' });
    await startConsumer();
    await takenAll(2_000);
    expect([...taken.values()]).toEqual(numbers(1, 2_000));
    expect((await relay?.status())?.lag).toBe(0);
  });
});
