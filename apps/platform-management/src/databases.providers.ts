import { Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { ProjectedStreams } from '@postern/event-sourcing';
import { PostgresEventStore, ProjectionRunner, withLeadership } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { CONFIG, Database, KeyRing, Tasks } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { v7 as uuidv7 } from 'uuid';
import { LocalDatabases } from './adapters/local-databases/local-databases.js';
import { DatabasesController } from './adapters/nats/databases.controller.js';
import { CredentialRows } from './adapters/postgres/credential-rows.js';
import { CreateDatabase } from './commands/databases/create-database.js';
import { DeleteDatabase } from './commands/databases/delete-database.js';
import { GetDatabase } from './commands/databases/get-database.js';
import type { provisioningSettings } from './databases-settings.js';
import { DatabaseRuntime } from './ports/database-runtime.js';
import { CredentialVault, DatabaseDirectory, DatabaseStorage, DatabaseStreams } from './ports/databases.js';
import { databases, ProjectedDatabases } from './projections/databases.js';
import { ProvisionDatabases } from './reactions/provision-databases.js';

type Config = ConfigOf<ConfigDefinition<typeof provisioningSettings>> & { readonly platformHome: string };

/** Starts what databases need by the clock, in one replica at a time. */
@Injectable()
export class DatabaseTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly database: Database,
    private readonly provisioning: ProvisionDatabases,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(2_000, 'provision databases', signal =>
      withLeadership(this.database.pool, 'databases', signal, lost => this.provisioning.lead(lost)),
    );
  }
}

/** Needs `PostgresEventStore`, `PrismaClient`, `KeyRing`, and `ProjectionRunner` with the projection `databases`. */
export const databasesProviders: Provider[] = [
  {
    provide: DatabaseStreams,
    inject: [PostgresEventStore, ProjectionRunner],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner) =>
      new ProjectedStreams({
        store,
        waitUntil: position => runner.waitUntil(databases.name, position),
        // A timer's work belongs to no request and begins a correlation of its own.
        metadata: () => ({ correlationId: uuidv7(), ...currentContext() }),
      }),
  },
  {
    provide: LocalDatabases,
    inject: [CONFIG],
    useFactory: ({ platformHome, platformPostgresBin, platformValkeyBin }: Config) =>
      new LocalDatabases(platformHome, {
        postgresBin: platformPostgresBin,
        valkeyBin: platformValkeyBin,
        path: process.env['PATH'],
      }),
  },
  { provide: DatabaseRuntime, useExisting: LocalDatabases },
  { provide: DatabaseStorage, useExisting: LocalDatabases },
  {
    provide: CredentialVault,
    inject: [Database, KeyRing],
    useFactory: ({ pool }: Database, keys: KeyRing) => new CredentialRows(pool, keys),
  },
  ProjectedDatabases,
  { provide: DatabaseDirectory, useExisting: ProjectedDatabases },
  CreateDatabase,
  DeleteDatabase,
  GetDatabase,
  ProvisionDatabases,
  DatabaseTimers,
];

export const databasesControllers = [DatabasesController];

export const databasesProjections = [databases];
