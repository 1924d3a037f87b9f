import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { refusedStatements, sqlFilesIn, startPostgres, statementsOf, type TestPostgres } from '@postern/testing';
import { migratedDatabase } from './testing/migrated-database.js';

let postgres: TestPostgres;
let databaseUrl: string;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  databaseUrl = await migratedDatabase(postgres);
}, 60_000);
afterAll(() => postgres.stop());

it.each(sqlFilesIn(new URL('.', import.meta.url)))('The statements of $path fit the schema', async ({ url, names }) => {
  await expect(refusedStatements(databaseUrl, statementsOf(await import(url), names))).resolves.toEqual([]);
});
