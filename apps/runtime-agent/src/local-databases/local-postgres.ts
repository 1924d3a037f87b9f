import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { DatabaseLimits, DatabaseOrder } from '@postern/runtime';
import pg from 'pg';
import { streamBaseBackup } from './base-backup.js';
import { type DatabaseFolders, type DatabaseRecord, LOCAL_HOST } from './database-folder.js';
import {
  findPostgres,
  majorVersionOf,
  POSTGRES_MISSING,
  type PostgresPrograms,
  type ProgramPlaces,
} from './programs.js';
import { scramVerifier } from './scram-verifier.js';
import type { LocalServer } from './server-supervisor.js';
import { feed, launchServer, namedUser, runToEnd } from './spawn-server.js';

const ADMIN = 'postgres';
/** Connections reserved for the platform, in addition to those of the plan. */
const RESERVED_CONNECTIONS = 3;
const MIB = 1024 ** 2;

/** A separate PostgreSQL server for each relational database. The customer owns a database in it and is not a superuser. */
export class LocalPostgres implements LocalServer {
  readonly stopSignal = 'SIGINT';

  constructor(
    private readonly folders: DatabaseFolders,
    private readonly places: ProgramPlaces,
  ) {}

  /** A data folder gets its name only when it is complete; the draft of an interrupted creation is deleted. */
  async prepare(record: DatabaseRecord): Promise<void> {
    const folder = this.folders.pathOf(record.databaseId);
    for (const name of await readdir(folder))
      if (name.startsWith('draft-')) await rm(join(folder, name), { recursive: true, force: true });
    const data = this.folders.dataOf(record.databaseId);
    if (await lstat(data).catch(() => undefined)) return;
    const draft = join(folder, `draft-${randomBytes(6).toString('hex')}`);
    const user = namedUser();
    await mkdir(draft, { mode: 0o700 });
    const cluster = join(draft, 'data');
    const passwordFile = join(draft, 'password');
    await writeFile(passwordFile, record.adminPassword, { mode: 0o600 });
    if (user !== undefined) await Promise.all([draft, passwordFile].map(path => chown(path, user, user)));
    const args = ['-D', cluster, '-U', ADMIN, '-E', 'UTF8', '--no-instructions', '--auth=scram-sha-256'];
    const { initdb, postgres } = await this.#programsFor(record);
    // The same collation on every machine, independent of installed locales; the builtin provider exists since release 17.
    args.push('--locale=C', `--pwfile=${passwordFile}`);
    if ((await majorVersionOf(postgres)) >= 17) args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
    await runToEnd(initdb, args, user, draft);
    if (record.uid !== undefined) await chownAll(cluster, record.uid);
    await rename(cluster, data);
    await rm(draft, { recursive: true, force: true });
  }

  async launch(record: DatabaseRecord, { limits }: DatabaseOrder): Promise<ChildProcess> {
    const data = this.folders.dataOf(record.databaseId);
    // No process of this database runs now, and the process id in the file may belong to another process.
    await rm(join(data, 'postmaster.pid'), { force: true });
    const args = ['-D', data, '-p', String(record.port)];
    for (const [name, value] of Object.entries(settingsFor(limits))) args.push('-c', `${name}=${value}`);
    return launchServer({
      command: (await this.#programsFor(record)).postgres,
      args,
      uid: record.uid,
      cwd: data,
      logFile: this.folders.logOf(record.databaseId),
    });
  }

  async answers(record: DatabaseRecord): Promise<boolean> {
    return this.#asAdmin(record, client => client.query('SELECT 1')).then(
      () => true,
      () => false,
    );
  }

  copy(record: DatabaseRecord): Promise<Readable> {
    return streamBaseBackup(accessOf(record));
  }

  /** Runs as the database's own user, because the archive was written by a server with a customer's data. */
  async unpack(record: DatabaseRecord, copy: Readable, signal: AbortSignal): Promise<void> {
    const data = this.folders.dataOf(record.databaseId);
    await mkdir(data, { mode: 0o700 });
    if (record.uid !== undefined) await chown(data, record.uid, record.uid);
    await feed('tar', ['-x', '-f', '-'], record.uid, data, copy, signal);
  }

  /** Creates or updates the role and the database of the order. */
  async settle(record: DatabaseRecord, { username, password, limits }: DatabaseOrder): Promise<void> {
    const role = pg.escapeIdentifier(username);
    await this.#asAdmin(record, async client => {
      const has = async (text: string) => (await client.query(text, [username])).rows.length > 0;
      if (!(await has('SELECT 1 FROM pg_roles WHERE rolname = $1'))) await client.query(`CREATE ROLE ${role}`);
      await client.query(
        `ALTER ROLE ${role} LOGIN CREATEDB CONNECTION LIMIT ${limits.connections} PASSWORD '${scramVerifier(password)}'`,
      );
      if (!(await has('SELECT 1 FROM pg_database WHERE datname = $1')))
        await client.query(`CREATE DATABASE ${role} OWNER ${role}`);
    });
  }

  /**
   * Sets whether new transactions are read-only by default. A customer who has to delete data to get below the limit
   * can still start a read-write transaction.
   */
  async setReadOnly(record: DatabaseRecord, readOnly: boolean): Promise<void> {
    await this.#asAdmin(record, async client => {
      await client.query(
        readOnly
          ? 'ALTER SYSTEM SET default_transaction_read_only = on'
          : 'ALTER SYSTEM RESET default_transaction_read_only',
      );
      await client.query('SELECT pg_reload_conf()');
    });
  }

  async isReadOnly(record: DatabaseRecord): Promise<boolean> {
    const written = await readFile(join(this.folders.dataOf(record.databaseId), 'postgresql.auto.conf'), 'utf8');
    return /^default_transaction_read_only = '?on/m.test(written);
  }

  /** Only the major version that wrote the data can read them, which may not be the preferred version any more. */
  async #programsFor({ databaseId }: DatabaseRecord): Promise<PostgresPrograms> {
    const installed = findPostgres(this.places);
    const version = await readFile(join(this.folders.dataOf(databaseId), 'PG_VERSION'), 'utf8').catch(() => undefined);
    if (version === undefined) return installed[0] ?? raise(POSTGRES_MISSING);
    for (const programs of installed)
      if ((await majorVersionOf(programs.postgres)) === Number(version)) return programs;
    return raise(`the data was created by PostgreSQL ${version.trim()}, which is no longer installed on this machine`);
  }

  async #asAdmin<Result>(record: DatabaseRecord, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ ...accessOf(record), query_timeout: 20_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await work(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

const accessOf = ({ port, adminPassword }: DatabaseRecord): pg.ClientConfig => ({
  host: LOCAL_HOST,
  port,
  user: ADMIN,
  password: adminPassword,
  database: ADMIN,
  connectionTimeoutMillis: 5_000,
  options: '-c default_transaction_read_only=off',
});

/** Passed on the command line, where the server's own files cannot override them. */
export const settingsFor = ({ memoryBytes, storageBytes, connections, cpuMillicores }: DatabaseLimits) => {
  const memoryMib = memoryBytes / MIB;
  const workers = Math.max(1, Math.floor(cpuMillicores / 1000));
  return {
    listen_addresses: LOCAL_HOST,
    unix_socket_directories: '',
    max_connections: String(connections + RESERVED_CONNECTIONS),
    superuser_reserved_connections: String(RESERVED_CONNECTIONS),
    shared_buffers: `${Math.floor(memoryMib / 4)}MB`,
    effective_cache_size: `${Math.floor(memoryMib / 2)}MB`,
    work_mem: `${Math.max(1, Math.floor(memoryMib / 4 / connections))}MB`,
    maintenance_work_mem: `${Math.max(8, Math.floor(memoryMib / 16))}MB`,
    max_wal_size: `${Math.min(1024, Math.max(64, Math.floor(storageBytes / MIB / 16)))}MB`,
    min_wal_size: '32MB',
    temp_file_limit: `${Math.floor(storageBytes / MIB / 4)}MB`,
    max_worker_processes: String(workers + 2),
    max_parallel_workers: String(workers),
    max_parallel_workers_per_gather: String(workers - 1),
    autovacuum_max_workers: '2',
    // Statements may contain personal data: the log contains their errors, but not their text.
    log_min_error_statement: 'panic',
    log_min_messages: 'fatal',
  };
};

const chownAll = async (path: string, uid: number): Promise<void> => {
  await chown(path, uid, uid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await chownAll(join(path, name), uid);
};

const raise = (message: string): never => {
  throw new Error(message);
};
