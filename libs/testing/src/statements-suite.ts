import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres } from './postgres.js';
import { refusedStatements, sqlFilesIn, statementsOf } from './sql-statements.js';

/**
 * One test for each file with statements below a folder: PostgreSQL accepts all of them.
 * @param migrated creates a database with the schema, and returns its URL.
 */
export const statementsFitTheSchema = (folder: URL, migrated: (postgres: TestPostgres) => Promise<string>): void => {
  let postgres: TestPostgres;
  let databaseUrl: string;
  beforeAll(async () => {
    postgres = await startPostgres({ durable: false });
    databaseUrl = await migrated(postgres);
  }, 60_000);
  afterAll(() => postgres?.stop());

  it.each(sqlFilesIn(folder))('The statements of $path fit the schema', async ({ url, names }) => {
    await expect(refusedStatements(databaseUrl, statementsOf(await import(url), names))).resolves.toEqual([]);
  });
};
