import type { EventContract, EventFeed, ServiceName } from '@postern/contracts';
import { migrateEventStore, PostgresEventStore } from '@postern/event-sourcing/postgres';
import { type NatsLink, PosternServer, RequestHandlers, silentLog } from '@postern/messaging';
import pg from 'pg';
import { PublishedLog } from '../event-sourcing/published-log.js';
import { WakeUps } from '../event-sourcing/wake-ups.js';

/** An event to append; every one is in a stream of its own. */
export interface TestEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly streamId?: string;
  readonly occurredAt?: Date;
  readonly metadata?: object;
}

export interface TestEventSourceOptions {
  readonly service: ServiceName;
  readonly contracts: readonly EventContract[];
  readonly feeds?: readonly EventFeed[];
  readonly link: NatsLink;
  readonly databaseUrl: string;
}

const INSERT = `INSERT INTO event_store.events (stream_id, version, id, type, data, metadata, occurred_at)
  SELECT coalesce(e->>'streamId', '') || '/' || gen_random_uuid(), 1, (e->>'id')::uuid, e->>'type', e->'data',
    '{"correlationId": "test"}'::jsonb || coalesce(e->'metadata', '{}'), coalesce((e->>'occurredAt')::timestamptz, now())
  FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS events (e, n) ORDER BY n`;

/** A log in place of another service, with its own database: for specs of a service that reads it. */
export class TestEventSource {
  private constructor(
    private readonly pool: pg.Pool,
    private readonly store: PostgresEventStore,
    private readonly parts: {
      readonly published: PublishedLog;
      readonly wakeUps: WakeUps;
      readonly server: PosternServer;
    },
  ) {}

  static async start({
    service,
    contracts,
    feeds,
    link,
    databaseUrl,
  }: TestEventSourceOptions): Promise<TestEventSource> {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    pool.on('error', () => undefined);
    await migrateEventStore(pool);
    const store = new PostgresEventStore(pool);
    const published = new PublishedLog({ service, contracts, ...(feeds && { feeds }), store, log: silentLog });
    const handlers = new RequestHandlers();
    published.serve(handlers);
    const wakeUps = new WakeUps(link, store, contracts);
    wakeUps.start();
    const server = new PosternServer({ link, service, log: silentLog, handlers });
    server.listen();
    return new TestEventSource(pool, store, { published, wakeUps, server });
  }

  async publish(events: readonly TestEvent[]): Promise<void> {
    await this.pool.query(INSERT, [JSON.stringify(events)]);
    this.store.announce(events);
  }

  async stop(): Promise<void> {
    const { published, wakeUps, server } = this.parts;
    wakeUps.stop();
    published.stop();
    await server.close();
    await this.pool.end();
  }
}
