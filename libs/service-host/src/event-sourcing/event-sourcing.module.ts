import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  Optional,
  type Provider,
} from '@nestjs/common';
import type { EventContract, ServiceName } from '@postern/contracts';
import { EventStore, LimitedStreams, Streams, type Upcasters } from '@postern/event-sourcing';
import {
  CommandTransactions,
  Inbox,
  OutboxRelay,
  PostgresEventStore,
  type Projection,
  ProjectionRunner,
} from '@postern/event-sourcing/postgres';
import { NatsLink } from '@postern/messaging';
import { Database } from '../database/database.js';
import { CONFIG } from '../host.js';
import { ServiceLog } from '../log/service-log.js';
import { EventSourcing } from './event-sourcing.js';
import { type PublishingOptions, serviceRelay } from './service-relay.js';

export interface EventSourcingOptions {
  readonly service: ServiceName;
  /**
   * The events that the service publishes; without any it has no outbox relay. Requires `eventSettings` in the
   * configuration.
   */
  readonly events?: readonly EventContract[];
  /** For services that store more event fields than they publish, or whose events may have no consumer. */
  readonly publishing?: PublishingOptions;
  readonly projections: readonly Projection[];
  /**
   * The read model that `Streams` and `CommandTransactions` wait for; without it, each feature uses `EventSourcing`.
   */
  readonly readYourWrites?: Projection;
  /** Translates events of older versions when they are read. */
  readonly upcasters?: Upcasters;
}

/**
 * The event store of a service, its projections and its outbox relay. They run from `onModuleInit` until
 * `onApplicationShutdown`. Each service calls `forService` once and its feature modules import the constant.
 */
@Module({})
export class EventSourcingModule {
  static forService(options: EventSourcingOptions): DynamicModule {
    const providers = [
      ...storeProviders(options),
      ...(options.events ? [outboxProvider(options.service, options.events, options.publishing)] : []),
      ...(options.readYourWrites ? writeProviders(options.readYourWrites) : []),
    ];
    return { module: EventSourcingModule, providers: [...providers, Lifecycle], exports: providers };
  }
}

const storeProviders = ({ projections, upcasters }: EventSourcingOptions): Provider[] => [
  {
    provide: PostgresEventStore,
    inject: [Database],
    useFactory: ({ pool }: Database) => new PostgresEventStore(pool, upcasters),
  },
  { provide: EventStore, useExisting: PostgresEventStore },
  { provide: Inbox, inject: [Database], useFactory: ({ pool }: Database) => new Inbox(pool) },
  {
    provide: ProjectionRunner,
    inject: [PostgresEventStore, ServiceLog],
    useFactory: (store: PostgresEventStore, log: ServiceLog) =>
      new ProjectionRunner({
        store,
        projections,
        onError: (projection, err) => log.error({ err, projection }, 'A projection failed; it will be retried'),
      }),
  },
  EventSourcing,
];

const outboxProvider = (
  service: ServiceName,
  contracts: readonly EventContract[],
  publishing: PublishingOptions | undefined,
): Provider => ({
  provide: OutboxRelay,
  inject: [PostgresEventStore, NatsLink, CONFIG, ServiceLog],
  useFactory: (store: PostgresEventStore, link: NatsLink, config: object, log: ServiceLog) =>
    serviceRelay({ service, contracts, store, link, log, maxBytes: streamSizeOf(service, config), publishing }),
});

const writeProviders = (projection: Projection): Provider[] => [
  { provide: Streams, inject: [EventSourcing], useFactory: (source: EventSourcing) => source.streams(projection) },
  {
    provide: CommandTransactions,
    inject: [EventSourcing],
    useFactory: (source: EventSourcing) => source.transactions(projection),
  },
  { provide: LimitedStreams, useExisting: CommandTransactions },
];

const streamSizeOf = (service: ServiceName, config: object): number => {
  const size: unknown = 'eventStreamMaxBytes' in config ? config.eventStreamMaxBytes : undefined;
  if (typeof size === 'number') return size;
  throw new Error(`${service} publishes events: spread eventSettings into its configuration`);
};

/** Read models start before all background jobs, because jobs make decisions based on them. */
@Injectable()
class Lifecycle implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly projections: ProjectionRunner,
    @Optional() @Inject(OutboxRelay) private readonly outbox?: OutboxRelay,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.projections.start();
    this.outbox?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.projections.stop(), this.outbox?.stop()]);
  }
}
