import { migrateEventStore } from '@postern/event-sourcing/postgres';
import type { TestPostgres } from '@postern/testing';
import { applyMigrations } from '../database/migrations.js';

/** The migrations of a service, for its tests. */
export const databasesOf = (service: string) => {
  /** The same as in `main.ts` of the service. */
  const migrations = {
    directory: new URL(`../../../../prisma/${service}/migrations`, import.meta.url),
    afterwards: migrateEventStore,
  };
  const migrate = (databaseUrl: string) => applyMigrations({ databaseUrl, ...migrations });
  /** An empty, migrated database of the service. */
  const migratedDatabase = (postgres: TestPostgres): Promise<string> => postgres.createCopy(migrate);
  return { migrations, migratedDatabase };
};
