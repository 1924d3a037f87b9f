import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { DatabaseOrder } from '@postern/runtime';
import { type DatabaseFolders, type DatabaseRecord, LOCAL_HOST } from './database-folder.js';
import type { LocalServer } from './server-keeper.js';
import { launchServer } from './spawn-server.js';

const ADMIN = 'platform';
const ANSWER_WITHIN_MS = 5_000;

/** A Valkey or Redis of its own for each key-value store. The customer may do everything but administer the server. */
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

  /** The configuration holds hashes of long random passwords, not the passwords. */
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

  /** An inline PING, which a store that still loads its data does not answer with PONG. */
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

  /** The credentials came with the configuration. */
  async settle(): Promise<void> {}
}

/** A quarter of the plan's memory is left to what writing a snapshot copies. */
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

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
