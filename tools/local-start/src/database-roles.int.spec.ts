import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '@postern/contracts';
import { freePort, type PostgresServer, spawnPostgres } from '@postern/testing';
import pg from 'pg';
import { databaseUrlOf, ensureDatabaseRoles, roleOf } from './database-roles.js';
import { ROOT } from './services.js';

type Service = (typeof SERVICE_NAMES)[number];

const passwords = Object.fromEntries(SERVICE_NAMES.map(service => [service, `of ${service}'s`])) as Record<
  Service,
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

/** The server of Compose: the superuser over the Unix socket, the services over TCP with their passwords. */
const startOfCompose = async (folder: string): Promise<PostgresServer> => {
  const rules = join(folder, 'pg_hba.conf');
  copyFileSync(join(ROOT, 'docker/pg_hba.conf'), rules);
  return spawnPostgres({
    ...(await common(folder)),
    settings: { hba_file: rules, listen_addresses: '127.0.0.1' },
  });
};

const startOfLocalStart = async (folder: string): Promise<PostgresServer> => spawnPostgres(await common(folder));

const common = async (folder: string) => ({
  dataDir: join(folder, randomUUID()),
  socketFolder: join(folder, 'socket'),
  port: await freePort(),
  durable: false,
});

/** Compose gives the script files, the chart gives it values. */
const byScript = async (server: PostgresServer): Promise<void> => {
  const url = new URL(server.url());
  const inFile = join(url.searchParams.get('host') ?? '', 'password-of-email-send');
  writeFileSync(inFile, `${passwords['email-send']}\n`);
  execFileSync('sh', [join(ROOT, 'docker/postgres-roles.sh')], {
    env: {
      PATH: process.env['PATH'],
      PGHOST: url.searchParams.get('host') ?? '',
      PGPORT: url.port,
      PGUSER: 'postgres',
      ...Object.fromEntries(
        SERVICE_NAMES.filter(service => service !== 'email-send').map(service => [
          `POSTERN_DATABASE_PASSWORD_${service.replaceAll('-', '_').toUpperCase()}`,
          passwords[service],
        ]),
      ),
      POSTERN_DATABASE_PASSWORD_EMAIL_SEND_FILE: inFile,
    },
  });
};

const withPassword = (server: PostgresServer, service: Service, password: string): string =>
  `postgresql://${roleOf(service)}:${encodeURIComponent(password)}@127.0.0.1:${new URL(server.url()).port}/${roleOf(service)}`;

const localStart = { start: startOfLocalStart, ensure: ensureDatabaseRoles, urlOf: databaseUrlOf };
const compose = {
  start: startOfCompose,
  ensure: byScript,
  urlOf: (server: PostgresServer, service: Service) => withPassword(server, service, passwords[service]),
};

describe.each([
  ['The local start', localStart] as const,
  ...(hasPsql ? [['postgres-roles.sh, for Compose and the chart', compose] as const] : []),
])('%s', (_name, { start, ensure, urlOf }) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-roles-'));
  let server: PostgresServer;

  beforeAll(async () => {
    // The server of root runs as another user.
    chmodSync(folder, 0o755);
    server = await start(folder);
    await ensure(server);
    await ensure(server);
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(SERVICE_NAMES)('allows %s to change its own database', async service => {
    const url = urlOf(server, service);
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
    const url = new URL(urlOf(server, service));
    url.pathname = `/${database}`;
    await expect(query(url.href, 'SELECT 1')).rejects.toThrow('permission denied for database');
  });
});

(hasPsql ? it : it.skip)('A password of Compose is valid for its own role only, and for no backup', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-roles-'));
  chmodSync(folder, 0o755);
  const server = await startOfCompose(folder);
  try {
    await byScript(server);
    const url = withPassword(server, 'email-send', passwords['webhook-dispatch']);
    await expect(query(url, 'SELECT 1')).rejects.toThrow('password authentication failed');
    // As pg_basebackup connects.
    const forBackup = `${server.url()}&replication=true`;
    expect(await query(forBackup, 'IDENTIFY_SYSTEM')).toHaveProperty('systemid');
    const ofService = `${withPassword(server, 'email-send', passwords['email-send'])}?replication=true`;
    await expect(query(ofService, 'IDENTIFY_SYSTEM')).rejects.toThrow('no pg_hba.conf entry for replication');
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
