import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { applyMigrations } from '@postern/service-host';
import type { TestPostgres } from '@postern/testing';

/** The migrations of this service, as `main.ts` names them. */
export const migrations = {
  directory: new URL('../../../../prisma/platform-management/migrations', import.meta.url),
  afterwards: migrateEventStore,
};

const migrate = (databaseUrl: string) => applyMigrations({ databaseUrl, ...migrations });

/** A database of this service without content. */
export const migratedDatabase = (postgres: TestPostgres): Promise<string> => postgres.createCopy(migrate);
