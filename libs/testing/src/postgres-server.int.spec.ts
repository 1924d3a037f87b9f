import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freePort } from './free-port.js';
import { type PostgresServer, spawnPostgres } from './postgres-server.js';

describe('a PostgreSQL server for the local start', () => {
  let closedFolder: string;
  let server: PostgresServer | undefined;
  beforeEach(async () => {
    // Mode 0700, like /root: when the tests run as root, the user of the server may not enter it.
    closedFolder = await mkdtemp(join(tmpdir(), 'postern-closed-'));
  });
  afterEach(async () => {
    await server?.stop();
    await rm(closedFolder, { recursive: true, force: true });
  });

  const start = async (): Promise<PostgresServer> =>
    spawnPostgres({
      dataDir: join(closedFolder, 'data'),
      port: 5432,
      socketFolder: join(closedFolder, 'socket'),
      durable: false,
    });

  async function query(url: string, statement: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return (await client.query(statement)).rows[0];
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  const versionOf = (url: string) => query(url, 'SHOW server_version');

  it('runs in a folder whose parents are closed to its user, and keeps its data', async () => {
    server = await start();
    const identity = async (): Promise<unknown> => {
      const client = new pg.Client({ connectionString: server?.url() });
      await client.connect();
      const { rows } = await client.query('SELECT system_identifier FROM pg_control_system()');
      await client.end();
      return rows[0];
    };
    const first = await identity();
    await server.stop();
    server = await start();
    expect(await identity()).toEqual(first);
  });

  it('has no TCP port and no password, and accepts the user of this process only', async () => {
    server = await start();
    expect(await query(server.url(), "SELECT rolpassword FROM pg_authid WHERE rolname = 'postgres'")).toEqual({
      rolpassword: null,
    });
    expect(await query(server.url(), 'SHOW listen_addresses')).toEqual({ listen_addresses: '' });
    const { mode } = await stat(join(closedFolder, 'socket'));
    expect(mode & 0o777).toBe(0o700);
    if (process.getuid?.() !== 0) return;
    // With the folder opened on purpose, the server itself still refuses another user.
    for (const folder of [closedFolder, join(closedFolder, 'socket')]) await chmod(folder, 0o777);
    await chmod(join(closedFolder, 'socket/.s.PGSQL.5432'), 0o777);
    const attempt = `
      import pg from '${pathToFileURL(createRequire(import.meta.url).resolve('pg')).href}';
      process.setgid(65534); process.setuid(65534);
      await new pg.Client({ connectionString: process.argv[1] }).connect().then(() => console.log('connected'), e => console.log(e.message));
      process.exit()`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      attempt,
      server.url(),
    ]);
    expect(stdout).toContain('Peer authentication failed');
  });

  it('keeps the data of a cluster that trusted every client, and trusts them no longer', async () => {
    const dataDir = join(closedFolder, 'data');
    const trusting = await spawnPostgres({ dataDir, port: await freePort() });
    await query(trusting.url(), 'CREATE TABLE kept AS SELECT 7 AS number');
    await trusting.kill();

    for (const _start of ['the first over a socket', 'any later one']) {
      server = await start();
      expect(await query(server.url(), 'SELECT number FROM kept')).toEqual({ number: 7 });
      const rules = 'SELECT array_agg(auth_method) AS methods FROM pg_hba_file_rules';
      expect(await query(server.url(), rules)).toEqual({ methods: ['peer'] });
      await server.stop();
    }
  });

  it('uses a folder with a short name if the path of the socket would be too long', async () => {
    const socketFolder = join(closedFolder, 'long'.repeat(25));
    server = await spawnPostgres({ dataDir: join(closedFolder, 'data'), port: 5432, socketFolder, durable: false });
    const folder = new URL(server.url()).searchParams.get('host') ?? '';
    expect(await versionOf(server.url())).toBeDefined();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(existsSync(folder)).toBe(false);
  });

  it('reports the message of a server that cannot start', async () => {
    const settings = { shared_buffers: 'many' };
    const wrong = spawnPostgres({ dataDir: join(closedFolder, 'data'), port: await freePort(), settings });
    await expect(wrong).rejects.toThrow('invalid value for parameter "shared_buffers": "many"');
  });
});
