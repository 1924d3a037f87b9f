import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { ProjectedStreams } from '@postern/event-sourcing';
import { CommandTransactions, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { CONFIG, Database, KeyRing, ServiceLog, Tasks } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { v7 as uuidv7 } from 'uuid';
import { resources } from '../infrastructure/postgres/resources.projection.js';
import { AdmitPlatformCall, CallLimit } from '../platform-keys/admit-platform-call.js';
import { CreatePlatformKey } from '../platform-keys/create-platform-key.js';
import { PlatformKeysController } from '../platform-keys/platform-keys.controller.js';
import { PlatformKeys } from '../platform-keys/platform-keys.projection.js';
import { CountedCalls } from '../platform-keys/postgres-platform-calls.js';
import { RevokePlatformKey } from '../platform-keys/revoke-platform-key.js';
import type { resourcesSettings } from '../platform-keys/settings.js';
import { CreateProject } from '../projects/create-project.js';
import { ProjectsController } from '../projects/projects.controller.js';
import { Projects } from '../projects/projects.projection.js';
import { ReleaseConfigurations } from '../web-services/ports.js';
import { DeleteValue } from './delete-value.js';
import { EnvironmentController } from './environment.controller.js';
import { OwnershipRows } from './ownership-rows.js';
import { NamedValueReadings, Ownership, PlatformCalls, ResourceStreams, SealedValues, ValueLedger } from './ports.js';
import { PostgresValueLedger } from './postgres-named-value-repository.js';
import { NamedValueRows } from './postgres-named-values.js';
import { SealedConfigurations } from './postgres-release-configurations.js';
import { SealedValueRows } from './postgres-sealed-values.js';
import { ProjectSecretsController } from './project-secrets.controller.js';
import { ReadValues } from './read-values.js';
import { ResealValues } from './reencrypt-values.js';
import { SetValues } from './set-values.js';

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
