import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseOrder, DatabaseUser } from '@postern/runtime';
import type { DatabaseFolders, DatabaseRecord } from './database-folder.js';
import { openOwn } from './own-file.js';
import type { Listening } from './postgres-settings.js';
import type { ServerSandbox, ServerSandboxes } from './server-sandbox.js';
import type { LocalServer, ServerState } from './server-supervisor.js';
import { launchServer } from './spawn-server.js';
import { VALKEY_ADMIN as ADMIN, runValkeyCommands, VALKEY_SOCKET, type ValkeyAccess } from './valkey-commands.js';

const SNAPSHOT = 'dump.rdb';
const SAVED_WITHIN_MS = 10 * 60_000;

/** A separate Valkey or Redis server for each key-value store. The customer has all permissions except administration. */
export class LocalValkey implements LocalServer {
  readonly stopSignal = 'SIGTERM';

  constructor(
    private readonly folders: DatabaseFolders,
    private readonly program: () => string,
    private readonly sandboxes: ServerSandboxes,
    readonly listening: (record: DatabaseRecord) => Listening | undefined,
  ) {}

  async prepare({ databaseId, uid }: DatabaseRecord): Promise<void> {
    const data = this.folders.dataOf(databaseId);
    await mkdir(data, { recursive: true, mode: 0o700 });
    if (uid !== undefined) await chown(data, uid, uid);
  }

  /** The configuration contains hashes of long random passwords, not the passwords. */
  async launch(record: DatabaseRecord, order: DatabaseOrder): Promise<ChildProcess> {
    const { databaseId, uid } = record;
    const program = this.program();
    const place = this.listening(record);
    const sandbox = await this.sandboxes.open(record, place ? 'serve' : 'work', this.folders.dataOf(databaseId), [
      program,
    ]);
    const file = join(this.folders.configurationOf(databaseId), 'valkey.conf');
    await writeFile(file, configurationFor(record, order, sandbox, place), { mode: 0o640 });
    if (uid !== undefined) await chown(file, process.getuid!(), uid);
    return launchServer({
      sandbox,
      argv: [program, join(sandbox.configuration, 'valkey.conf')],
      logFile: this.folders.logOf(databaseId),
      lockFile: this.folders.lockOf(databaseId),
    });
  }

  async state(record: DatabaseRecord): Promise<ServerState> {
    // PING fails while the store loads its data.
    return runValkeyCommands(this.#accessOf(record), 'PING', 'INFO clients').then(
      ([, clients = '']) => {
        // The connection of the platform counts too.
        const used = Number(/^connected_clients:(\d+)/m.exec(clients)?.[1]) - 1;
        return used < (record.limits?.connections ?? 1) ? 'ready' : 'busy';
      },
      ({ message }: Error) =>
        /max number of clients/.test(message) ? 'busy' : /LOADING/.test(message) ? 'starting' : 'silent',
    );
  }

  /** Has the store write a snapshot (`BGSAVE`), and reads its file. */
  async copy(record: DatabaseRecord): Promise<Readable> {
    const snapshot = join(this.folders.dataOf(record.databaseId), SNAPSHOT);
    await rm(snapshot, { force: true });
    await runValkeyCommands(this.#accessOf(record), 'BGSAVE SCHEDULE');
    for (const until = Date.now() + SAVED_WITHIN_MS; ; await pause(100)) {
      const [state = ''] = await runValkeyCommands(this.#accessOf(record), 'INFO persistence');
      const file = await openOwn(snapshot, record.uid);
      if (file) return file.createReadStream();
      if (/^rdb_last_bgsave_status:err/m.test(state)) throw new Error('the key-value store could not write a snapshot');
      if (Date.now() > until) throw new Error('the key-value store wrote no snapshot in time');
    }
  }

  /** A snapshot is a valid beginning of an append-only file, which a store with `appendonly yes` loads. */
  async unpack(record: DatabaseRecord, copy: Readable, signal: AbortSignal): Promise<void> {
    await this.prepare(record);
    const file = join(this.folders.dataOf(record.databaseId), 'appendonly.aof');
    await pipeline(copy, createWriteStream(file, { mode: 0o600, flush: true }), { signal });
    if (record.uid !== undefined) await chown(file, record.uid, record.uid);
  }

  async disconnect(record: DatabaseRecord, addresses: readonly string[]): Promise<void> {
    const [clients = ''] = await runValkeyCommands(this.#accessOf(record), 'CLIENT LIST');
    const ids = clients.split('\n').flatMap(line => {
      const address = / addr=([\d.]+):/.exec(line)?.[1];
      return address !== undefined && addresses.includes(address) ? (/^id=(\d+)/.exec(line)?.[1] ?? []) : [];
    });
    for (const id of ids) await runValkeyCommands(this.#accessOf(record), `CLIENT KILL ID ${id}`);
  }

  /** Nobody outside connects to a key-value store. */
  async disconnectOutside(): Promise<void> {}

  /** Sets the current password, because the configuration has the credentials of the last start. */
  async settle(record: DatabaseRecord, { username, password, attachmentUsers }: DatabaseOrder): Promise<void> {
    const access = this.#accessOf(record);
    await runValkeyCommands(access, `ACL SETUSER ${username} resetpass #${sha256(password)}`);
    for (const user of attachmentUsers) await runValkeyCommands(access, `ACL SETUSER ${customer(user)}`);
    const wanted = new Set(attachmentUsers.map(user => user.username));
    const [users = ''] = await runValkeyCommands(access, 'ACL USERS');
    // Also ends the connections of the user.
    for (const name of users.match(/\battached_\w+/g) ?? [])
      if (!wanted.has(name)) await runValkeyCommands(access, `ACL DELUSER ${name}`);
  }

  #accessOf({ databaseId, adminSecret }: DatabaseRecord): ValkeyAccess {
    return { sockets: this.folders.socketsOf(databaseId), adminSecret };
  }
}

/** Administration, and commands that reach other servers or load raw data; the customer may see and empty the own store. */
const PERMISSIONS = '+@all -@admin -@dangerous +info +keys +flushdb +flushall +swapdb +sort +role +client|list';
/** A client that sends nothing for this time is disconnected; an unauthenticated one would otherwise keep its place for ever. */
const IDLE_SECONDS = 300;
/** Connections that remain for the platform when clients use all others. */
const RESERVED_CONNECTIONS = 4;

/** The rules of a user who may do everything except administration. */
const customer = ({ username, password }: DatabaseUser): string =>
  `${username} reset on #${sha256(password)} ~* &* ${PERMISSIONS}`;

/** A quarter of the plan's memory is reserved for the copies made while writing a snapshot. */
export const configurationFor = (
  record: DatabaseRecord,
  { username, password, limits, attachmentUsers }: DatabaseOrder,
  sandbox: ServerSandbox,
  listening: Listening | undefined,
): string =>
  [
    ...(listening ? [`bind ${listening.host}`, `port ${listening.port}`] : ['port 0']),
    // Every user has a password.
    'protected-mode no',
    `unixsocket ${sandbox.sockets}/${VALKEY_SOCKET}`,
    'unixsocketperm 700',
    `dir ${JSON.stringify(sandbox.data)}`,
    'daemonize no',
    'logfile ""',
    `maxclients ${limits.connections + RESERVED_CONNECTIONS}`,
    `timeout ${IDLE_SECONDS}`,
    `maxmemory ${Math.floor(limits.memoryBytes * 0.75)}`,
    'maxmemory-policy noeviction',
    'appendonly yes',
    'appendfsync everysec',
    'user default off',
    ...[{ username, password }, ...attachmentUsers].map(user => `user ${customer(user)}`),
    // A user of any connection; only the platform knows its password, and sends it to the Unix socket only.
    `user ${ADMIN} on #${sha256(record.adminSecret)} ~* &* +@all`,
    '',
  ].join('\n');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
