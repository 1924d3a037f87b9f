import { Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import {
  CommandTransactions,
  PostgresEventStore,
  ProjectionRunner,
  withLeadership,
} from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { Database, KeyRing, Tasks } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { CreateDatabase } from './create-database.js';
import { ProvisionDatabases } from './database-reconciler.js';
import { DatabasesController } from './databases.controller.js';
import { databases, ProjectedDatabases } from './databases.projection.js';
import { DeleteDatabase } from './delete-database.js';
import { GetDatabase } from './get-database.js';
import { DatabaseDirectory, DatabaseRepository } from './ports.js';
import { PostgresDatabaseRepository } from './postgres-database-repository.js';

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

/** Needs `DatabaseRuntime`, `DatabaseStorage`, `PostgresEventStore`, `PrismaClient`, `KeyRing`, and `ProjectionRunner` with the projection `databases`. */
export const databasesProviders: Provider[] = [
  {
    provide: DatabaseRepository,
    inject: [PostgresEventStore, ProjectionRunner, KeyRing],
    useFactory: (store: PostgresEventStore, runner: ProjectionRunner, keys: KeyRing) => {
      const transactions = new CommandTransactions({
        store,
        waitUntil: position => runner.waitUntil(databases.name, position),
        // A timer's work belongs to no request and begins a correlation of its own.
        metadata: () => ({ correlationId: uuidv7(), ...currentContext() }),
      });
      return new PostgresDatabaseRepository(transactions, store.pool, keys);
    },
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
