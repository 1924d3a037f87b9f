import {
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  Optional,
  type Provider,
} from '@nestjs/common';
import type { EventContract, ServiceName } from '@postern/contracts';
import { EventStore, Streams, type Upcasters } from '@postern/event-sourcing';
import {
  CommandTransactions,
  Lease,
  PostgresEventStore,
  type Projection,
  ProjectionRunner,
} from '@postern/event-sourcing/postgres';
import { NatsLink, RequestHandlers } from '@postern/messaging';
import { ChangeNotices } from '../change-notices.js';
import { Database } from '../database/database.js';
import { ServiceLog } from '../log/service-log.js';
import { EventSourcing } from './event-sourcing.js';
import { PublishedLog } from './published-log.js';
import { WakeUps } from './wake-ups.js';

export interface EventSourcingOptions {
  readonly service: ServiceName;
  /** The events that other services may read. */
  readonly events?: readonly EventContract[];
  /** Publishes only the fields of each contract, for stored events with fields that must not leave the service. */
  readonly contractFieldsOnly?: boolean;
  readonly projections: readonly Projection[];
  /**
   * The read model that `Streams` and `CommandTransactions` wait for; without it, each feature uses `EventSourcing`.
   */
  readonly readYourWrites?: Projection;
  /** Translates events of older versions when they are read. */
  readonly upcasters?: Upcasters;
}

/**
 * The event store of a service, its projections, and its log as other services read it. They run from `onModuleInit` until
 * `onApplicationShutdown`. The module of each service imports it once; every feature can inject its providers.
 */
@Module({})
export class EventSourcingModule {
  static forService(options: EventSourcingOptions): DynamicModule {
    const providers = [
      ...storeProviders(options),
      ...(options.events ? publishingProviders(options, options.events) : []),
      ...(options.readYourWrites ? writeProviders(options.readYourWrites) : []),
    ];
    return { module: EventSourcingModule, global: true, providers: [...providers, Lifecycle], exports: providers };
  }
}

const storeProviders = ({ projections, upcasters, readYourWrites }: EventSourcingOptions): Provider[] => [
  {
    provide: PostgresEventStore,
    inject: [Database],
    useFactory: ({ pool }: Database) => new PostgresEventStore(pool, upcasters),
  },
  { provide: EventStore, useExisting: PostgresEventStore },
  {
    provide: ProjectionRunner,
    inject: [PostgresEventStore, ServiceLog, ChangeNotices],
    useFactory: (store: PostgresEventStore, log: ServiceLog, changes: ChangeNotices) =>
      new ProjectionRunner({
        store,
        projections,
        onApplied: events => changes.addEvents(events),
        onError: (projection, err) => log.error({ err, projection }, 'A projection failed; it will be retried'),
      }),
  },
  {
    provide: EventSourcing,
    inject: [PostgresEventStore, ProjectionRunner],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner) =>
      new EventSourcing(store, runner, readYourWrites),
  },
];

const publishingProviders = (
  { service, contractFieldsOnly }: EventSourcingOptions,
  contracts: readonly EventContract[],
): Provider[] => [
  {
    provide: PublishedLog,
    inject: [PostgresEventStore, ServiceLog],
    useFactory: (store: PostgresEventStore, log: ServiceLog) =>
      new PublishedLog({ service, contracts, contractFieldsOnly, store, log }),
  },
  {
    provide: WakeUps,
    inject: [NatsLink, PostgresEventStore],
    useFactory: (link: NatsLink, store: PostgresEventStore) => new WakeUps(link, store, contracts),
  },
];

const writeProviders = (projection: Projection): Provider[] => [
  { provide: Streams, inject: [EventSourcing], useFactory: (source: EventSourcing) => source.streams(projection) },
  {
    provide: CommandTransactions,
    inject: [EventSourcing],
    useFactory: (source: EventSourcing) => source.transactions(projection),
  },
];

/** Read models start before all background jobs, because jobs make decisions based on them. */
@Injectable()
class Lifecycle implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly store: PostgresEventStore,
    private readonly projections: ProjectionRunner,
    private readonly handlers: RequestHandlers,
    @Optional() private readonly published?: PublishedLog,
    @Optional() private readonly wakeUps?: WakeUps,
  ) {}

  async onModuleInit(): Promise<void> {
    await Lease.freeThoseOfDeadProcesses(this.store.pool);
    await this.projections.start();
    this.published?.serve(this.handlers);
    this.wakeUps?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.wakeUps?.stop();
    this.published?.stop();
    await this.projections.stop();
  }
}
