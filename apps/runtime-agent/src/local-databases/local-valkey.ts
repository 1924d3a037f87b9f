import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { chown, type FileHandle, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseOrder } from '@postern/runtime';
import { type DatabaseFolders, type DatabaseRecord, LOCAL_HOST } from './database-folder.js';
import type { LocalServer } from './server-supervisor.js';
import { launchServer } from './spawn-server.js';
import { VALKEY_ADMIN as ADMIN, runValkeyCommands } from './valkey-commands.js';

const SNAPSHOT = 'dump.rdb';
const SAVED_WITHIN_MS = 10 * 60_000;
const ANSWER_WITHIN_MS = 5_000;

/** A separate Valkey or Redis server for each key-value store. The customer has all permissions except administration. */
export class LocalValkey implements LocalServer {
  readonly stopSignal = 'SIGTERM';

  constructor(
    private readonly folders: DatabaseFolders,
    private readonly program: () => string,
  ) {}

  async prepare({ databaseId, uid }: DatabaseRecord): Promise<void> {
    const data = this.folders.dataOf(databaseId);
    await mkdir(data, { recursive: true, mode: 0o700 });
    if (uid !== undefined) await chown(data, uid, uid);
  }

  /** The configuration contains hashes of long random passwords, not the passwords. */
  async launch(record: DatabaseRecord, order: DatabaseOrder): Promise<ChildProcess> {
    const { databaseId, uid } = record;
    const configuration = join(this.folders.pathOf(databaseId), 'server.conf');
    await writeFile(configuration, configurationFor(record, order), { mode: 0o600 });
    if (uid !== undefined) await chown(configuration, uid, uid);
    return launchServer({
      command: this.program(),
      args: [configuration],
      uid,
      cwd: this.folders.dataOf(databaseId),
      logFile: this.folders.logOf(databaseId),
    });
  }

  /** Sends an inline PING; a store that is still loading its data does not reply with PONG. */
  answers({ port, adminPassword }: DatabaseRecord): Promise<boolean> {
    return new Promise(resolve => {
      let received = '';
      const socket = connect({ host: LOCAL_HOST, port });
      const end = (answer: boolean) => {
        socket.destroy();
        resolve(answer);
      };
      socket.setTimeout(ANSWER_WITHIN_MS, () => end(false));
      socket.on('error', () => end(false)).on('close', () => end(false));
      socket.on('data', chunk => {
        received += chunk;
        if (received.split('\r\n').length > 2) end(received === '+OK\r\n+PONG\r\n');
      });
      socket.write(`AUTH ${ADMIN} ${adminPassword}\r\nPING\r\n`);
    });
  }

  /** Has the store write a snapshot (`BGSAVE`), and reads its file. */
  async copy(record: DatabaseRecord): Promise<Readable> {
    const snapshot = join(this.folders.dataOf(record.databaseId), SNAPSHOT);
    await rm(snapshot, { force: true });
    await runValkeyCommands(record, 'BGSAVE SCHEDULE');
    for (const until = Date.now() + SAVED_WITHIN_MS; ; await pause(100)) {
      const [state = ''] = await runValkeyCommands(record, 'INFO persistence');
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

  /** Sets the current password, because the configuration has the credentials of the last start. */
  async settle(record: DatabaseRecord, { username, password }: DatabaseOrder): Promise<void> {
    await runValkeyCommands(record, `ACL SETUSER ${username} resetpass #${sha256(password)}`);
  }
}

/** A quarter of the plan's memory is reserved for the copies made while writing a snapshot. */
export const configurationFor = (record: DatabaseRecord, { username, password, limits }: DatabaseOrder): string =>
  [
    `bind ${LOCAL_HOST}`,
    `port ${record.port}`,
    'daemonize no',
    'logfile ""',
    `maxclients ${limits.connections + 1}`,
    `maxmemory ${Math.floor(limits.memoryBytes * 0.75)}`,
    'maxmemory-policy noeviction',
    'appendonly yes',
    'appendfsync everysec',
    ...(username === 'default' ? [] : ['user default off']),
    `user ${username} on #${sha256(password)} ~* &* +@all -@admin`,
    `user ${ADMIN} on #${sha256(record.adminPassword)} ~* &* +@all`,
    '',
  ].join('\n');

/** Undefined if the file does not exist; a file that the store does not own is refused. */
const openOwn = async (path: string, uid: number | undefined): Promise<FileHandle | undefined> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!file) return undefined;
  const found = await file.stat();
  if (found.isFile() && (uid === undefined || found.uid === uid)) return file;
  await file.close();
  throw new Error('the snapshot of the key-value store is not its own file');
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
