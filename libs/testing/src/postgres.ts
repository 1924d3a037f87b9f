import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.js';
import { PostgresServer, type PostgresState, spawnPostgres } from './postgres-server.js';
import { workerRegistry } from './worker-registry.js';

/** Options of `startPostgres`. */
export interface TestPostgresOptions {
  /** false: no fsync, for integration tests that crash nothing. Default: as durable as in production. */
  durable?: boolean;
  /** false: a server of one's own, really ended by `stop`. Default: one server per Jest worker and durability. */
  shared?: boolean;
  settings?: Record<string, string>;
}

/** A real PostgreSQL for a test. */
export interface TestPostgres {
  adminUrl: string;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** Creates an empty database and answers its connection string. */
  createDatabase(name?: string): Promise<string>;
  /** kill -9 on all of its processes; a server that is not durable loses the commits of the last moment with them. */
  kill(): Promise<void>;
  /** Starts it again on the same data and port. */
  restart(): Promise<void>;
  /** Drops the databases of this handle; ends the server where it is not shared. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL, or joins the server that this Jest worker already has. Whatever happens to the worker, the server
 * and its data are gone soon after it.
 */
export async function startPostgres(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const shared = options.shared !== false && !options.settings;
  const key = `postgres durable=${options.durable !== false}`;
  const registry = workerRegistry<Promise<PostgresState>>();
  if (!shared) return handle(await start(options), false);
  const pending = registry.get(key) ?? start(options).then(({ state }) => state);
  registry.set(key, pending);
  try {
    const server = new PostgresServer(await pending);
    // An earlier test file may have killed it.
    if (!server.isRunning) await server.restart();
    return handle(server, true);
  } catch (error) {
    registry.delete(key);
    throw error;
  }
}

async function start(options: TestPostgresOptions): Promise<PostgresServer> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'postern-postgres-'));
  // Made for its maker alone, but the server runs as another user where the maker is root.
  await chmod(dir, 0o711);
  return spawnPostgres({
    dataDir: join(dir, 'data'),
    port,
    durable: options.durable ?? true,
    removeDirWithParent: dir,
    settings: { shared_buffers: '64MB', ...options.settings },
  });
}

function handle(server: PostgresServer, shared: boolean): TestPostgres {
  const databases: string[] = [];
  return {
    adminUrl: server.url(),
    get pid() {
      return server.pid;
    },
    async createDatabase(name = `test_${randomUUID().replaceAll('-', '')}`) {
      await execute(server.url(), `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
      databases.push(name);
      return server.url(name);
    },
    kill: () => server.kill(),
    restart: () => server.restart(),
    async stop() {
      if (!shared) {
        await server.stop();
        await rm(join(server.state.options.dataDir, '..'), { recursive: true, force: true });
        return;
      }
      if (!server.isRunning) return;
      for (const name of databases.splice(0)) {
        await execute(server.url(), `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
      }
    },
  };
}

async function execute(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
