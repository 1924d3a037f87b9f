import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.js';
import { copyCluster } from './kept-clusters.js';
import { type PostgresServer, spawnPostgres } from './postgres-server.js';
import { waitFor } from './wait-for.js';

/** Options of `startPostgres`. */
export interface TestPostgresOptions {
  /** false: no fsync, for tests without crashes. Durable as in production by default. */
  durable?: boolean;
  /** false: a separate server that `stop` ends. By default one server per Jest worker and durability. */
  shared?: boolean;
  settings?: Record<string, string>;
}

/** A real PostgreSQL for a test. */
export interface TestPostgres {
  adminUrl: string;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** Creates an empty database and returns its connection string. */
  createDatabase(name?: string): Promise<string>;
  /**
   * Creates a copy of a database that `prepare` has filled, and returns its connection string. One function prepares one database
   * for all spec files that share the server; it must leave no connection open.
   */
  createCopy(prepare: (databaseUrl: string) => Promise<unknown>): Promise<string>;
  /** Kills all processes with SIGKILL; without durability the last commits are lost. */
  kill(): Promise<void>;
  /** Restarts the server on the same data and port. */
  restart(): Promise<void>;
  /** Drops the databases of this handle; stops the server if it is not shared. */
  stop(): Promise<void>;
}

/**
 * `pg.Pool.end()` resolves before its connections are closed; if they are terminated, they emit an error without a
 * listener.
 */
const CLOSING_MS = 1_000;

/** The servers that all spec files of this Jest worker share, by durability. */
const sharedServers = new Map<boolean, Promise<PostgresServer>>();

/** The databases to copy, by server and by the function that prepared them. */
const templates = new WeakMap<PostgresServer, Map<Prepare, Promise<string>>>();
type Prepare = Parameters<TestPostgres['createCopy']>[0];

/**
 * Starts PostgreSQL, or uses the server of this Jest worker. The server and its data are deleted when the worker
 * ends in any way.
 */
export async function startPostgres(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const durable = options.durable !== false;
  if (options.shared === false || options.settings) return handle(await start(options), false);
  const starting = sharedServers.get(durable) ?? start(options);
  sharedServers.set(durable, starting);
  try {
    const server = await starting;
    // An earlier spec file may have killed the server.
    if (!server.isRunning) await server.restart();
    return handle(server, true);
  } catch (error) {
    sharedServers.delete(durable);
    throw error;
  }
}

async function start(options: TestPostgresOptions): Promise<PostgresServer> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'postern-postgres-'));
  // mkdtemp creates the folder for its owner only; the server of root runs as another user.
  await chmod(dir, 0o711);
  return spawnPostgres({
    dataDir: join(dir, 'data'),
    create: dataDir => copyCluster(dataDir),
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
    async createDatabase(name = newName('test')) {
      await execute(server.url(), `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
      databases.push(name);
      return server.url(name);
    },
    async createCopy(prepare) {
      const [name, template] = [newName('test'), await templateOf(server, prepare)];
      await execute(server.url(), `CREATE DATABASE ${name} TEMPLATE ${template}`);
      databases.push(name);
      return server.url(name);
    },
    async kill() {
      // Without durability they may be lost.
      templates.delete(server);
      await server.kill();
    },
    restart: () => server.restart(),
    async stop() {
      if (!shared) {
        await server.stop();
        await rm(join(server.state.options.dataDir, '..'), { recursive: true, force: true });
        return;
      }
      if (!server.isRunning) return;
      for (const name of databases.splice(0)) await drop(server, name);
    },
  };
}

const newName = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;

function templateOf(server: PostgresServer, prepare: Prepare): Promise<string> {
  const known = templates.get(server) ?? new Map<Prepare, Promise<string>>();
  templates.set(server, known);
  const preparing = known.get(prepare) ?? newTemplate(server, prepare);
  known.set(prepare, preparing);
  preparing.catch(() => known.delete(prepare));
  return preparing;
}

async function newTemplate(server: PostgresServer, prepare: Prepare): Promise<string> {
  const name = newName('template');
  await execute(server.url(), `CREATE DATABASE ${name}`);
  await prepare(server.url(name));
  return name;
}

/** Drops a database once its connections are closed, or after a second by terminating the remaining ones. */
async function drop(server: PostgresServer, name: string): Promise<void> {
  await asAdmin(server.url(), async client => {
    const open = () => client.query('SELECT FROM pg_stat_activity WHERE datname = $1 LIMIT 1', [name]);
    await waitFor(async () => (await open()).rowCount === 0, { timeoutMs: CLOSING_MS }).catch(() => undefined);
    await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
  });
}

const execute = (connectionString: string, statement: string): Promise<unknown> =>
  asAdmin(connectionString, client => client.query(statement));

async function asAdmin(connectionString: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
