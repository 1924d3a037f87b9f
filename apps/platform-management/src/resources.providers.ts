import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { ProjectedStreams } from '@postern/event-sourcing';
import { CommandTransactions, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { CONFIG, Database, KeyRing, ServiceLog, Tasks } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { v7 as uuidv7 } from 'uuid';
import { EnvironmentController } from './adapters/nats/environment.controller.js';
import { PlatformKeysController } from './adapters/nats/platform-keys.controller.js';
import { ProjectSecretsController } from './adapters/nats/project-secrets.controller.js';
import { ProjectsController } from './adapters/nats/projects.controller.js';
import { CountedCalls } from './adapters/postgres/counted-calls.js';
import { NamedValueRows } from './adapters/postgres/named-value-rows.js';
import { OwnershipRows } from './adapters/postgres/ownership-rows.js';
import { PostgresValueLedger } from './adapters/postgres/postgres-value-ledger.js';
import { SealedConfigurations } from './adapters/postgres/sealed-configurations.js';
import { SealedValueRows } from './adapters/postgres/sealed-values.js';
import { DeleteValue } from './commands/named-values/delete-value.js';
import { ReadValues } from './commands/named-values/read-values.js';
import { SetValues } from './commands/named-values/set-values.js';
import { AdmitPlatformCall, CallLimit } from './commands/platform-keys/admit-platform-call.js';
import { CreatePlatformKey } from './commands/platform-keys/create-platform-key.js';
import { RevokePlatformKey } from './commands/platform-keys/revoke-platform-key.js';
import { CreateProject } from './commands/projects/create-project.js';
import {
  NamedValueReadings,
  Ownership,
  PlatformCalls,
  ResourceStreams,
  SealedValues,
  ValueLedger,
} from './ports/resources.js';
import { ReleaseConfigurations } from './ports/web-services.js';
import { PlatformKeys } from './projections/platform-keys.js';
import { Projects } from './projections/projects.js';
import { resources } from './projections/resources.js';
import { ResealValues } from './reactions/reseal-values.js';
import type { resourcesSettings } from './resources-settings.js';

type Config = ConfigOf<ConfigDefinition<typeof resourcesSettings>>;

/** What keys and values need by the clock. */
@Injectable()
export class ResourceTimers implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly tasks: Tasks,
    private readonly calls: PlatformCalls,
    private readonly resealing: ResealValues,
    private readonly log: ServiceLog,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(30_000, 'note uses of platform keys', () => this.calls.flushUses());
    this.tasks.every(60_000, 'seal values under the first key', signal => this.resealing.run(signal));
  }

  /** No call comes any more, and the database is still there. Nobody is kept from stopping by it. */
  async onApplicationShutdown(): Promise<void> {
    await this.calls
      .flushUses()
      .catch((err: unknown) => this.log.warn({ err }, 'The last uses of platform keys could not be noted'));
  }
}

const metadata = () => ({ correlationId: uuidv7(), ...currentContext() });

const waitFor =
  (runner: ProjectionRunner): ConstructorParameters<typeof ProjectedStreams>[0]['waitUntil'] =>
  position =>
    runner.waitUntil(resources.name, position);

/** Needs `PostgresEventStore`, `PrismaClient`, `KeyRing`, and `ProjectionRunner` with the projection `resources`. */
export const resourcesProviders: Provider[] = [
  {
    provide: ResourceStreams,
    inject: [PostgresEventStore, ProjectionRunner],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner) =>
      new ProjectedStreams({ store, waitUntil: waitFor(runner), metadata }),
  },
  {
    provide: ValueLedger,
    inject: [PostgresEventStore, ProjectionRunner, KeyRing],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner, keys: KeyRing) =>
      new PostgresValueLedger(new CommandTransactions({ store, waitUntil: waitFor(runner), metadata }), keys),
  },
  { provide: Ownership, inject: [Database], useFactory: ({ pool }: Database) => new OwnershipRows(pool) },
  { provide: PlatformCalls, inject: [Database], useFactory: ({ pool }: Database) => new CountedCalls(pool) },
  {
    provide: NamedValueReadings,
    inject: [Database, KeyRing],
    useFactory: ({ pool }: Database, keys: KeyRing) => new NamedValueRows(pool, keys),
  },
  {
    provide: SealedValues,
    inject: [Database, KeyRing],
    useFactory: ({ pool }: Database, keys: KeyRing) => new SealedValueRows(pool, keys),
  },
  {
    provide: ReleaseConfigurations,
    inject: [Database, KeyRing],
    useFactory: ({ pool }: Database, keys: KeyRing) => new SealedConfigurations(pool, keys),
  },
  {
    provide: CallLimit,
    inject: [CONFIG],
    useFactory: ({ platformCallsPerMinute }: Config): CallLimit => ({ perMinute: platformCallsPerMinute }),
  },
  PlatformKeys,
  Projects,
  AdmitPlatformCall,
  CreatePlatformKey,
  RevokePlatformKey,
  CreateProject,
  SetValues,
  ReadValues,
  DeleteValue,
  ResealValues,
  ResourceTimers,
];

export const resourcesControllers = [
  PlatformKeysController,
  ProjectsController,
  EnvironmentController,
  ProjectSecretsController,
];

export const resourcesProjections = [resources];
