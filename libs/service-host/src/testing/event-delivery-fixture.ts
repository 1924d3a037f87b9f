import { afterEach, beforeEach } from '@jest/globals';
import { eventFeed, eventsOf } from '@postern/contracts';
import type { DomainEvent } from '@postern/event-sourcing';
import {
  type EventTransaction,
  FollowerPositions,
  migrateEventStore,
  PostgresEventStore,
  PostgresSetAsideEvents,
  ProjectionRunner,
} from '@postern/event-sourcing/postgres';
import { connectNats, type Log, type NatsLink, PosternServer, RequestHandlers } from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { z } from 'zod';
import { PublishedLog } from '../event-sourcing/published-log.js';
import { WakeUps } from '../event-sourcing/wake-ups.js';
import { ServiceOperations } from '../operations/service-operations.js';

export const counted = eventsOf('email-send')('counted.v1', z.object({ n: z.int(), padding: z.string() }));
/** An event that the consumer does not read. */
export const ignored = eventsOf('email-send')('ignored.v1', z.object({}));
export const CONSUMER = 'delivery-tracking-counter';

export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A process of the service whose events are read. */
export interface Producer {
  readonly published: PublishedLog;
  stop(): Promise<void>;
}

/** A publishing and a consuming service with real NATS and PostgreSQL, started for every test. */
export class EventDelivery {
  /** What the consumer has handled, in this order; `effects` is what its database holds. */
  taken: number[] = [];
  /** Delays handlers until it resolves. */
  gate: Promise<void> = Promise.resolve();
  /** Called by the handler with each batch; an exception is an error of the handler. */
  onBatch: (numbers: readonly number[]) => void = () => undefined;
  readonly lines: string[] = [];
  nats!: TestNats;
  postgres!: TestPostgres;
  /** Of the publishing service. */
  source!: pg.Pool;
  /** Of the consuming service. */
  own!: pg.Pool;
  store!: PostgresEventStore;
  readonly #pools: pg.Pool[] = [];
  readonly #links: NatsLink[] = [];
  readonly #stops: (() => Promise<void>)[] = [];
  readonly log: Log = {
    info: (_fields, line) => this.lines.push(line),
    warn: (_fields, line) => this.lines.push(line),
    error: (_fields, line) => this.lines.push(line),
  };

  constructor() {
    beforeEach(() => this.#start(), 60_000);
    afterEach(() => this.#stop(), 60_000);
  }

  async startProducer(): Promise<Producer> {
    const link = await this.#connect();
    const contracts = [counted, ignored];
    const feeds = [eventFeed('email-send', 'delivery-tracking', [counted.type])];
    const published = new PublishedLog({ service: 'email-send', contracts, feeds, store: this.store, log: this.log });
    const handlers = new RequestHandlers();
    published.serve(handlers);
    const wakeUps = new WakeUps(link, this.store, contracts);
    wakeUps.start();
    const server = new PosternServer({ link, service: 'email-send', log: this.log, handlers });
    server.listen();
    const stop = this.#stoppedOnce(async () => {
      wakeUps.stop();
      published.stop();
      await server.close();
    });
    return { published, stop };
  }

  async startConsumer({ pool = this.own }: { pool?: pg.Pool } = {}) {
    const server = new PosternServer({
      link: await this.#connect(),
      service: 'delivery-tracking',
      log: this.log,
      events: { positions: new FollowerPositions(pool), setAside: new PostgresSetAsideEvents(pool) },
      eventRetries: { batchMs: [5, 20], outageMs: 100, poisonMs: [300] },
    });
    server.handleEvents(
      { contracts: [counted], consumer: 'counter', inTransaction: true },
      async (batch, { client, afterCommit }: EventTransaction) => {
        await this.gate;
        const taken = batch.map(({ data }) => data.n);
        this.onBatch(taken);
        await client.query('INSERT INTO effects (n) SELECT unnest($1::int[])', [taken]);
        afterCommit(() => void this.taken.push(...taken));
      },
    );
    server.listen();
    return { stop: this.#stoppedOnce(() => server.close()) };
  }

  /** The operator's requests to one of the two services. */
  operations(pool: pg.Pool, published?: PublishedLog): ServiceOperations {
    const projections = new ProjectionRunner({ store: new PostgresEventStore(pool), projections: [] });
    const database = { pool } as never;
    return new ServiceOperations({
      database,
      projections,
      log: this.log as never,
      ...(published ? { published } : {}),
    });
  }

  async append(from: number, to: number, padding = 'x'.repeat(500)): Promise<void> {
    for (let start = from; start <= to; start += 100) {
      const data = numbers(start, Math.min(to, start + 99)).map(n => ({ n, padding }));
      await this.appendEvents(data.map(item => ({ type: counted.type, data: item })));
    }
  }

  async appendEvents(events: readonly DomainEvent[], streamId = 'counter'): Promise<void> {
    await this.store.append(streamId, events, { expectedVersion: 'any', metadata: { correlationId: 'c-1' } });
  }

  /** What the transactions of the consumer have written, in their order. */
  async effects(): Promise<readonly number[]> {
    const { rows } = await this.own.query<{ n: number }>('SELECT n FROM effects ORDER BY place');
    return rows.map(({ n }) => n);
  }

  takenAll(last: number) {
    return waitFor(() => new Set(this.taken).size === last, {
      timeoutMs: 20_000,
      describe: () => `${last} events to be taken, not ${new Set(this.taken).size}`,
    });
  }

  /** Uses another database for the publishing service. */
  async useSource(url: string): Promise<void> {
    this.source = this.#pool(url);
    await migrateEventStore(this.source);
    this.store = new PostgresEventStore(this.source);
  }

  async useOwn(url: string): Promise<void> {
    this.own = this.#pool(url);
    await migrateEventStore(this.own);
    await this.own.query('CREATE TABLE IF NOT EXISTS effects (place serial PRIMARY KEY, n integer NOT NULL)');
  }

  #stoppedOnce(stop: () => Promise<void>): () => Promise<void> {
    let stopped: Promise<void> | undefined;
    const once = () => {
      stopped ??= stop();
      return stopped;
    };
    this.#stops.push(once);
    return once;
  }

  #pool(connectionString: string): pg.Pool {
    const pool = new pg.Pool({ connectionString, max: 8 });
    pool.on('error', () => undefined);
    this.#pools.push(pool);
    return pool;
  }

  async #connect(): Promise<NatsLink> {
    const link = await connectNats({ servers: this.nats.url, name: 'event-delivery' });
    this.#links.push(link);
    return link;
  }

  async #start(): Promise<void> {
    this.taken = [];
    this.gate = Promise.resolve();
    this.onBatch = () => undefined;
    this.lines.length = 0;
    [this.nats, this.postgres] = await Promise.all([startNats(), startPostgres({ durable: false })]);
    await this.useSource(await this.postgres.createDatabase('source'));
    await this.useOwn(await this.postgres.createDatabase('own'));
  }

  async #stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
    for (const link of this.#links.splice(0)) await link.close();
    await this.nats.stop();
    for (const pool of this.#pools.splice(0)) await pool.end();
    await this.postgres.stop();
  }
}
