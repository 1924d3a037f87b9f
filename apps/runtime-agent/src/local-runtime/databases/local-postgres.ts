import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { DatabaseExtension, DatabaseOrder } from '@postern/runtime';
import pg from 'pg';
import { streamBaseBackup } from './base-backup.js';
import type { DatabaseFolders, DatabaseRecord } from './database-folder.js';
import { asAdministrator, requireServerOf } from './postgres-administrator.js';
import { enableExtension, listExtensions } from './postgres-extensions.js';
import { settleAttachmentUsers, settleOwner } from './postgres-roles.js';
import {
  hostBasedAccess,
  identities,
  insideOf,
  type Listening,
  POSTGRES_ADMIN,
  settingsFor,
  UNUSED_PORT,
} from './postgres-settings.js';
import { currentWal, requestRecovery, sealWal } from './postgres-wal.js';
import {
  findPostgresOf,
  majorVersionOf,
  POSTGRES_MISSING,
  type PostgresPrograms,
  type ProgramPlaces,
} from './programs.js';
import type { ServerCertificates } from './server-certificates.js';
import type { ServerSandboxes } from './server-sandbox.js';
import type { LocalServer, ServerState } from './server-supervisor.js';
import { feed, launchServer, namedUser, runToEnd } from './spawn-server.js';
import { throughFolder } from './through-folder.js';
import { historyOf } from './wal-archive.js';
import { recoverySettings } from './wal-settings.js';

const USED_CONNECTIONS = `
  SELECT count(*)::int AS used FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND usename <> '${POSTGRES_ADMIN}'`;

const TERMINATE_OTHERS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE client_addr IS NOT NULL AND NOT client_addr <<= ANY($1::inet[])`;

/** The script of PostGIS takes several seconds of processor time. */
const EXTENSION_WITHIN_MS = 40_000;

/** The codes of errors (PostgreSQL documentation, appendix A) with which a server that works refuses a connection. */
const STATES: Readonly<Record<string, ServerState>> = { '53300': 'busy', '57P03': 'starting' };

/** A separate PostgreSQL server for each relational database. The customer owns a database in it and is not a superuser. */
export class LocalPostgres implements LocalServer {
  readonly stopSignal = 'SIGINT';

  constructor(
    private readonly folders: DatabaseFolders,
    private readonly places: ProgramPlaces,
    private readonly sandboxes: ServerSandboxes,
    private readonly certificates: ServerCertificates,
    readonly listening: (record: DatabaseRecord) => Listening | undefined,
  ) {}

  /** A data folder gets its name only when it is complete; the draft of an interrupted creation is deleted. */
  async prepare(record: DatabaseRecord): Promise<void> {
    const data = this.folders.dataOf(record.databaseId);
    const folder = dirname(data);
    for (const name of await readdir(folder))
      if (name.startsWith('draft-')) await rm(join(folder, name), { recursive: true, force: true });
    if (await lstat(data).catch(() => undefined)) return;
    const draft = join(folder, `draft-${randomBytes(6).toString('hex')}`);
    const cluster = join(draft, 'data');
    await mkdir(cluster, { recursive: true, mode: 0o700 });
    // The database's own user may enter the folder; no other user may read it.
    await chmod(draft, 0o711);
    const { initdb, postgres } = await this.#programsFor(record);
    const own = await this.sandboxes.open(record, 'work', cluster, [initdb]);
    const sandbox = own.isEnclosed
      ? own
      : await this.sandboxes.open({ ...record, uid: namedUser() }, 'work', cluster, [initdb]);
    if (sandbox.uid !== undefined) await chown(cluster, sandbox.uid, sandbox.uid);
    // The server gets its own rules of access at each start; these would let nobody in.
    const args = ['-D', sandbox.data, '-U', POSTGRES_ADMIN, '-E', 'UTF8', '--no-instructions', '--auth=reject'];
    // The same collation on every machine, independent of installed locales; the builtin provider exists since release 17.
    args.push('--locale=C');
    if ((await majorVersionOf(postgres)) >= 17) args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
    await runToEnd(sandbox, [initdb, ...args]);
    if (sandbox.uid !== record.uid && record.uid !== undefined) await chownAll(cluster, record.uid);
    await rename(cluster, data);
    await rm(draft, { recursive: true, force: true });
  }

  async launch(record: DatabaseRecord, { limits, username }: DatabaseOrder): Promise<ChildProcess> {
    const { databaseId } = record;
    const data = this.folders.dataOf(databaseId);
    // No process of this database runs now, and the process id in the file may belong to another process.
    await rm(join(data, 'postmaster.pid'), { force: true });
    const { postgres } = await this.#programsFor(record);
    const sandbox = await this.sandboxes.open(record, this.listening(record) ? 'serve' : 'work', data, [postgres]);
    const configuration = this.folders.configurationOf(databaseId);
    await writeFile(join(configuration, 'pg_hba.conf'), hostBasedAccess(record, username), { mode: 0o644 });
    await writeFile(join(configuration, 'pg_ident.conf'), identities(sandbox.platformUser), { mode: 0o644 });
    await this.#certify(record);
    const settings = {
      ...settingsFor(databaseId, limits, sandbox, this.listening(record), historyOf(record)),
      ...(record.recovery && recoverySettings(sandbox.configuration, record.recovery.targetTime)),
    };
    if (record.recovery) await requestRecovery(data, record.uid);
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return launchServer({
      sandbox,
      argv: [postgres, '-D', sandbox.data, ...args],
      logFile: this.folders.logOf(databaseId),
      lockFile: this.folders.lockOf(databaseId),
    });
  }

  async state(record: DatabaseRecord): Promise<ServerState> {
    const used = this.#asAdmin(record, client => client.query<{ used: number }>(USED_CONNECTIONS));
    return used.then(
      ({ rows }) => ((rows[0]?.used ?? 0) < (record.limits?.connections ?? 1) ? 'ready' : 'busy'),
      ({ code }: { code?: string }) => STATES[code ?? ''] ?? 'silent',
    );
  }

  copy(record: DatabaseRecord): Promise<Readable> {
    return this.#throughSocket(record, access => streamBaseBackup(access, record.databaseId));
  }

  /** Runs as the database's own user, because the archive was written by a server with a customer's data. */
  async unpack(record: DatabaseRecord, copy: Readable, signal: AbortSignal): Promise<void> {
    const data = this.folders.dataOf(record.databaseId);
    await mkdir(data, { mode: 0o700 });
    if (record.uid !== undefined) await chown(data, record.uid, record.uid);
    const sandbox = await this.sandboxes.open(record, 'work', data, []);
    await feed(sandbox, ['tar', '-x', '-f', '-', '-C', sandbox.data], copy, signal);
  }

  async disconnect(record: DatabaseRecord, addresses: readonly string[]): Promise<void> {
    const statement =
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE host(client_addr) = ANY($1::text[])';
    await this.#asAdmin(record, client => client.query(statement, [addresses]));
  }

  /** Ends the connections from outside of the platform, except those from the networks of the record. */
  async disconnectOutside(record: DatabaseRecord): Promise<void> {
    const { address, allowedCidrs = [] } = record;
    if (address === undefined) return;
    const inside = [insideOf(address), ...allowedCidrs];
    await this.#asAdmin(record, client => client.query(TERMINATE_OTHERS, [inside]));
  }

  /** Creates or updates the roles and the database of the order. */
  async settle(record: DatabaseRecord, order: DatabaseOrder): Promise<void> {
    await this.#asAdmin(record, client => settleOwner(client, order));
    const { attachmentUsers, username } = order;
    const rules = join(this.folders.configurationOf(record.databaseId), 'pg_hba.conf');
    const wanted = hostBasedAccess(record, username);
    const isCurrent = (await readFile(rules, 'utf8').catch(() => '')) === wanted;
    if (!isCurrent) await writeFile(rules, wanted, { mode: 0o644 });
    const isRenewed = await this.#certify(record);
    await this.#asAdmin(
      record,
      async client => {
        if (!isCurrent || isRenewed) await client.query('SELECT pg_reload_conf()');
        await settleAttachmentUsers(client, order, attachmentUsers);
      },
      username,
    );
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

  extensionsOf(record: DatabaseRecord, owner: string): Promise<readonly DatabaseExtension[]> {
    return this.#asAdmin(record, listExtensions, owner);
  }

  /** Returns why the extension cannot be enabled; undefined if it is. */
  async enableExtension(record: DatabaseRecord, owner: string, name: string): Promise<string | undefined> {
    const version = (await this.versionOf(record.databaseId)) ?? '';
    const enable = (client: pg.Client) => enableExtension(client, owner, name, version);
    return this.#asAdmin(record, enable, owner, EXTENSION_WITHIN_MS);
  }

  /** The major version that wrote the data; undefined before there are any. */
  async versionOf(databaseId: string): Promise<string | undefined> {
    const file = join(this.folders.dataOf(databaseId), 'PG_VERSION');
    return (await readFile(file, 'utf8').catch(() => undefined))?.trim();
  }

  currentWal(record: DatabaseRecord): Promise<string> {
    return this.#asAdmin(record, currentWal);
  }

  sealWal(record: DatabaseRecord): Promise<string> {
    return this.#asAdmin(record, sealWal);
  }

  /** Returns whether a running server has to read its certificate again. A server without clients needs none. */
  async #certify(record: DatabaseRecord): Promise<boolean> {
    const place = this.listening(record);
    const folder = this.folders.configurationOf(record.databaseId);
    return place !== undefined && this.certificates.ensure(folder, place.host, record.uid);
  }

  /** Only the major version that wrote the data can read them, which may not be the preferred version any more. */
  async #programsFor({ databaseId, version: wanted }: DatabaseRecord): Promise<PostgresPrograms> {
    const written = await this.versionOf(databaseId);
    const found = await findPostgresOf(this.places, written ?? wanted);
    if (found) return found;
    if (written === undefined)
      return raise(wanted === undefined ? POSTGRES_MISSING : `PostgreSQL ${wanted} is not installed`);
    return raise(`the data was created by PostgreSQL ${written}, which is no longer installed on this machine`);
  }

  async #asAdmin<Result>(
    record: DatabaseRecord,
    work: (client: pg.Client) => Promise<Result>,
    database: string = POSTGRES_ADMIN,
    timeoutMs = 20_000,
  ): Promise<Result> {
    return this.#throughSocket(record, async access => {
      const client = new pg.Client({ ...access, database, query_timeout: timeoutMs });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await requireServerOf(record.databaseId, client);
        return await work(client);
      } finally {
        await client.end().catch(() => undefined);
      }
    });
  }

  #throughSocket<Result>(record: DatabaseRecord, work: (access: pg.ClientConfig) => Promise<Result>): Promise<Result> {
    const port = this.listening(record)?.port ?? UNUSED_PORT;
    return throughFolder(this.folders.socketsOf(record.databaseId), host => work(asAdministrator(host, port)));
  }
}

const chownAll = async (path: string, uid: number): Promise<void> => {
  await chown(path, uid, uid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await chownAll(join(path, name), uid);
};

const raise = (message: string): never => {
  throw new Error(message);
};
