import { migrateEventStore } from '@postern/event-sourcing/postgres';
import type { TestPostgres } from '@postern/testing';
import { applyMigrations } from '../database/migrations.js';

/** What the specs of a service need of its migrations. */
export const databasesOf = (service: string) => {
  /** As `main.ts` of the service names them. */
  const migrations = {
    directory: new URL(`../../../../prisma/${service}/migrations`, import.meta.url),
    afterwards: migrateEventStore,
  };
  const migrate = (databaseUrl: string) => applyMigrations({ databaseUrl, ...migrations });
  /** A database of the service without content. */
  const migratedDatabase = (postgres: TestPostgres): Promise<string> => postgres.createCopy(migrate);
  return { migrations, migratedDatabase };
};
