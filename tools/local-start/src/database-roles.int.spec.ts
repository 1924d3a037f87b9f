import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '@postern/contracts';
import { freePort, type PostgresServer, spawnPostgres } from '@postern/testing';
import pg from 'pg';
import { databaseUrlOf, ensureDatabaseRoles, roleOf } from './database-roles.js';
import { ROOT } from './services.js';

const passwords = Object.fromEntries(SERVICE_NAMES.map(service => [service, `of ${service}'s`])) as Record<
  (typeof SERVICE_NAMES)[number],
  string
>;

const hasPsql = spawnSync('psql', ['--version']).status === 0;

const query = async (url: string, statement: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(statement);
    return rows?.[0];
  } finally {
    await client.end();
  }
};

const byScript = async (server: PostgresServer): Promise<void> => {
  const url = new URL(server.url());
  execFileSync('sh', [join(ROOT, 'docker/postgres-roles.sh')], {
    env: {
      PATH: process.env['PATH'],
      PGHOST: url.hostname,
      PGPORT: url.port,
      PGUSER: 'postgres',
      PGPASSWORD: decodeURIComponent(url.password),
      ...Object.fromEntries(
        SERVICE_NAMES.map(service => [
          `POSTERN_DATABASE_PASSWORD_${service.replaceAll('-', '_').toUpperCase()}`,
          passwords[service],
        ]),
      ),
    },
  });
};

/** Databases of earlier releases: the superuser owns them and all their objects. */
const OF_THE_SUPERUSER = `
  CREATE SCHEMA event_store;
  CREATE TABLE event_store.events (id bigint GENERATED ALWAYS AS IDENTITY, data text);
  CREATE TABLE numbers (id serial, kind text);
  CREATE SEQUENCE alone;
  CREATE TYPE colour AS ENUM ('red');
  CREATE VIEW seen AS SELECT * FROM numbers;
  CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1';
  INSERT INTO event_store.events (data) VALUES ('kept');`;

describe.each([
  ['The local start', (server: PostgresServer) => ensureDatabaseRoles(server, passwords)] as const,
  ...(hasPsql ? [['postgres-roles.sh, for Compose and the chart', byScript] as const] : []),
])('%s', (_name, ensure) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-roles-'));
  let server: PostgresServer;

  beforeAll(async () => {
    server = await spawnPostgres({
      dataDir: join(folder, randomUUID()),
      port: await freePort(),
      password: 'of the superuser',
      durable: false,
    });
    await query(server.url(), `CREATE DATABASE ${roleOf('email-send')}`);
    await query(server.url(roleOf('email-send')), OF_THE_SUPERUSER);
    await ensure(server);
    await ensure(server);
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(SERVICE_NAMES)('allows %s to change its own database', async service => {
    const url = databaseUrlOf(server, service, passwords[service]);
    await query(url, 'CREATE SCHEMA other CREATE TABLE own (id int)');
    expect(
      await query(url, 'SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user'),
    ).toEqual({
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
    });
  });

  const pairs = SERVICE_NAMES.flatMap(service =>
    [...SERVICE_NAMES.filter(other => other !== service).map(roleOf), 'postgres', 'template1'].map(
      database => [service, database] as const,
    ),
  );

  it.each(pairs)('does not let %s connect to %s', async (service, database) => {
    const url = new URL(databaseUrlOf(server, service, passwords[service]));
    url.pathname = `/${database}`;
    await expect(query(url.href, 'SELECT 1')).rejects.toThrow('permission denied for database');
  });

  it('rejects the password of another role', async () => {
    const url = databaseUrlOf(server, 'email-send', passwords['webhook-dispatch']);
    await expect(query(url, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  it("transfers objects of the superuser in a service's database to its role, and keeps the rows", async () => {
    const url = databaseUrlOf(server, 'email-send', passwords['email-send']);
    expect(await query(url, 'SELECT data FROM event_store.events')).toEqual({ data: 'kept' });
    for (const change of [
      'ALTER TABLE event_store.events ADD COLUMN more int',
      'ALTER TABLE numbers ADD COLUMN more int',
      'ALTER SEQUENCE alone RESTART',
      "ALTER TYPE colour ADD VALUE 'blue'",
      'DROP VIEW seen',
      'DROP FUNCTION one()',
      'DROP SCHEMA event_store CASCADE',
    ])
      await query(url, change);
  });
});
