import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { applyMigrations } from '@postern/service-host';

const applied = await applyMigrations({
  databaseUrl: process.env.POSTERN_DATABASE_URL,
  directory: process.env.MIGRATIONS,
  afterwards: migrateEventStore,
});
console.log(JSON.stringify({ applied }));
