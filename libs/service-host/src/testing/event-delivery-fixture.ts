import { afterEach, beforeEach } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
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
import { operationsHandlers } from '../operations/operations-handlers.js';
import { ServiceOperations } from '../operations/service-operations.js';

export const counted = eventsOf('email-send')('counted.v1', z.object({ n: z.int(), padding: z.string() }));
export const STREAM = 'postern-email-send';
/** The log line of a consumer that missed events. */
export const LOST = 'The stream lost events before this consumer received them';

export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A publishing and a consuming service with real NATS and PostgreSQL, restarted for every test. */
export class EventDelivery {
  /** The content of the consumer's inbox: each event once, in order of arrival. */
  taken = new Map<string, number>();
  /** Delays handlers until it resolves. */
  gate: Promise<void> = Promise.resolve();
  readonly lines: string[] = [];
  nats!: TestNats;
  pool!: pg.Pool;
  relay: OutboxRelay | undefined;
  #postgres!: TestPostgres;
  #store!: PostgresEventStore;
  readonly #links: NatsLink[] = [];
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #log: Log = {
    info: (_fields, line) => this.lines.push(line),
    warn: (_fields, line) => this.lines.push(line),
    error: (_fields, line) => this.lines.push(line),
  };

  constructor(readonly version: '2.9' | '2.12') {
    beforeEach(() => this.#start(), 60_000);
    afterEach(() => this.#stop());
  }

  async startRelay(options: Partial<JetStreamPublisherOptions> = {}, callbacks: Partial<OutboxRelayOptions> = {}) {
    const publisher = new JetStreamPublisher(await this.#connect(), {
      service: 'email-send',
      contracts: [counted],
      ...options,
    });
    this.relay = new OutboxRelay({ store: this.#store, publisher, types: [counted.type], pollMs: 20, ...callbacks });
    this.relay.start();
    return this.relay;
  }

  startConsumer() {
    const delivery = this;
    class Counter {
      @HandlesEvents([counted], { consumer: 'counter' })
      async count(batch: EventBatch<typeof counted>): Promise<void> {
        await delivery.gate;
        for (const { id, data } of batch) if (!delivery.taken.has(id)) delivery.taken.set(id, data.n);
      }
    }
    return this.#serve(new Counter(), 'delivery-tracking');
  }

  /** Handles operator requests for the publishing service. */
  async startOperations(outbox: OutboxRelay): Promise<ServiceOperations> {
    const { pool } = this;
    const projections = new ProjectionRunner({ store: this.#store, projections: [] });
    const operations = new ServiceOperations({
      database: { pool } as never,
      projections,
      log: this.#log as never,
      outbox,
    });
    const Handlers = operationsHandlers('email-send');
    await this.#serve(new Handlers(operations), 'email-send');
    return operations;
  }

  async append(from: number, to: number): Promise<void> {
    for (let start = from; start <= to; start += 100) {
      const data = numbers(start, Math.min(to, start + 99)).map(n => ({ n, padding: 'x'.repeat(500) }));
      const events = data.map(item => ({ type: counted.type, data: item }));
      await this.#store.append('counter', events, { expectedVersion: 'any', metadata: { correlationId: 'c-1' } });
    }
  }

  takenAll(last: number) {
    return waitFor(() => this.taken.size === last, {
      timeoutMs: 20_000,
      describe: () => `${last} events to be taken, not ${this.taken.size}`,
    });
  }

  /** Waits until all reported gaps are filled. */
  gapsFilled() {
    return waitFor(async () => (await this.pool.query('SELECT FROM event_store.outbox_gaps')).rowCount === 0, {
      timeoutMs: 10_000,
      describe: 'the reported gaps to be filled',
    });
  }

  async manager() {
    return jetstreamManager((await this.#connect()).nc);
  }

  async streamInfo() {
    return (await this.manager()).streams.info(STREAM);
  }

  async #serve(provider: object, service: 'email-send' | 'delivery-tracking') {
    const server = new PosternServer({ link: await this.#connect(), service, log: this.#log });
    server.addProvider(provider);
    server.listen();
    const stop = () => server.close();
    this.#stops.push(stop);
    return { stop };
  }

  async #connect(): Promise<NatsLink> {
    const link = await connectNats({ servers: this.nats.url, name: 'event-delivery' });
    this.#links.push(link);
    return link;
  }

  async #start(): Promise<void> {
    this.taken = new Map();
    this.gate = Promise.resolve();
    this.lines.length = 0;
    this.nats = await startNats({ version: this.version });
    this.#postgres = await startPostgres({ durable: false });
    this.pool = new pg.Pool({ connectionString: await this.#postgres.createDatabase(), max: 8 });
    this.pool.on('error', () => undefined);
    await migrateEventStore(this.pool);
    this.#store = new PostgresEventStore(this.pool);
  }

  async #stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
    await this.relay?.stop();
    this.relay = undefined;
    for (const link of this.#links.splice(0)) await link.close();
    await this.nats.stop();
    await this.pool.end();
    await this.#postgres.stop();
  }
}
