import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { applyMigrations } from '@postern/service-host';
import { refusedStatements, sqlFilesIn, startPostgres, statementsOf, type TestPostgres } from '@postern/testing';

let postgres: TestPostgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  databaseUrl = await postgres.createDatabase();
  const directory = new URL('../../../../../prisma/platform-management/migrations', import.meta.url);
  await applyMigrations({ databaseUrl, directory, afterwards: migrateEventStore });
}, 60_000);
afterAll(() => postgres?.stop());

it.each(sqlFilesIn(new URL('../../', import.meta.url)))('The statements of $path fit the schema', async ({ url }) => {
  await expect(refusedStatements(databaseUrl, statementsOf(await import(url)))).resolves.toEqual([]);
});
