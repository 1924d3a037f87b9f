import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { refusedStatements, sqlFilesIn, startPostgres, statementsOf, type TestPostgres } from '@postern/testing';
import pg from 'pg';
import { applyMigrations } from './migrations.js';

let postgres: TestPostgres;
let databaseUrl: string;

beforeAll(async () => {
  postgres = await startPostgres({ durable: false });
  databaseUrl = await postgres.createDatabase();
  const directory = new URL('../../../../prisma/webhook-dispatch/migrations', import.meta.url);
  await applyMigrations({ databaseUrl, directory });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    CREATE TABLE sealed (id uuid PRIMARY KEY, value text, key_id text);
    CREATE TABLE keys (id uuid PRIMARY KEY, owner_id uuid, name text, key_hash text);
    CREATE TABLE logged_requests (id uuid PRIMARY KEY, owner_id uuid, key_id uuid, key_name text, request_id text,
      at timestamptz, method text, path text, status smallint, code text, message text, duration_ms integer,
      email_id uuid, body text)`);
  await client.end();
}, 60_000);

afterAll(() => postgres?.stop());

it.each(sqlFilesIn(new URL('..', import.meta.url)))('The statements of $path fit the schema', async ({ url }) => {
  await expect(refusedStatements(databaseUrl, statementsOf(await import(url)))).resolves.toEqual([]);
});
