import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
      port: await freePort(),
      password: 'open sesame',
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

  it('refuses connections without the password', async () => {
    server = await start();
    expect(await versionOf(server.url())).toBeDefined();
    const without = server.url().replace(/:\/\/[^@]+@/, '://postgres:wrong@');
    await expect(versionOf(without)).rejects.toThrow('password authentication failed');
  });

  it('requires a password for a cluster that was created without one, and keeps its data', async () => {
    const dataDir = join(closedFolder, 'data');
    const trusting = await spawnPostgres({ dataDir, port: await freePort() });
    await query(trusting.url(), 'CREATE TABLE kept AS SELECT 7 AS number');
    // Simulates a crash: the WAL must be replayed before a password can be set.
    await trusting.kill();

    for (const _start of ['the first with a password', 'any later one']) {
      server = await start();
      expect(await query(server.url(), 'SELECT number FROM kept')).toEqual({ number: 7 });
      await expect(query(server.url().replace(/:\/\/[^@]+@/, '://postgres@'), 'SELECT 1')).rejects.toThrow('password');
      await expect(query(server.url().replace(/:\/\/[^@]+@/, '://postgres:wrong@'), 'SELECT 1')).rejects.toThrow(
        'password authentication failed',
      );
      await server.stop();
    }
    expect(await readFile(`${dataDir}.log`, 'utf8')).not.toContain('open sesame');
  });

  it('reports the message of a server that cannot start', async () => {
    server = await start();
    const { port } = server.state.options;
    const second = spawnPostgres({ dataDir: join(closedFolder, 'second'), port, durable: false });
    await expect(second).rejects.toThrow('Address already in use');
  });
});
