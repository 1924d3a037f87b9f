import { statementsFitTheSchema } from '@postern/testing/statements-suite';
import pg from 'pg';
import { databasesOf } from '../testing/migrated-databases.js';

/** The tables of the services whose names are parameters of the statements. */
const EXAMPLES = `
  CREATE TABLE sealed (id uuid PRIMARY KEY, value text, key_id text);
  CREATE TABLE keys (id uuid PRIMARY KEY, owner_id uuid, name text, key_hash text);
  CREATE TABLE logged_requests (id uuid PRIMARY KEY, owner_id uuid, key_id uuid, key_name text, request_id text,
    at timestamptz, method text, path text, status smallint, code text, message text, duration_ms integer,
    email_id uuid, body text)`;

statementsFitTheSchema(new URL('..', import.meta.url), async postgres => {
  const connectionString = await databasesOf('webhook-dispatch').migratedDatabase(postgres);
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(EXAMPLES).finally(() => client.end());
  return connectionString;
});
