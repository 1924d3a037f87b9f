import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readIfExists } from '../machine/files.js';
import { run } from '../machine/run.js';
import { systemIdentifier } from '../machine/system-identifier.js';
import { BACKUP_KEY } from '../operations/backup-key.js';
import { asPostgres } from '../operations/prepare-machine.js';
import type { Model } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { archiveSettings, walCommand } from '../rendering/wal-settings.js';
import { unpack } from './archives.js';
import { walFolderOf } from './wal-archive.js';

/** The key of the archive while PostgreSQL reads it, in a file system in memory. */
const KEY_FILE = '/run/postern/wal-key';
const DAY_SECONDS = 86_400;

export interface Recovery {
  /** The backup. */
  readonly backup: string;
  /** A folder for the cluster, which becomes `postgresql` in it. It belongs to PostgreSQL meanwhile. */
  readonly folder: string;
  /** Where it ends: with the backup, with the archive, or with the last transaction until a time. */
  readonly until: 'backup' | 'archive' | Date;
  /** Whether the cluster archives its new timeline, because it replaces the one of this server. */
  readonly archives: boolean;
}

const targetOf = (until: Recovery['until']): readonly string[] => {
  if (until === 'archive') return [];
  if (until === 'backup') return ["recovery_target = 'immediate'"];
  // PostgreSQL knows no "Z" when it reads this setting.
  return [`recovery_target_time = '${until.toISOString().replace('Z', '+00')}'`];
};

const settingsOf = ({ folder, archives, until }: Recovery, wal: readonly string[], model: Model): string =>
  [
    "listen_addresses = ''",
    `unix_socket_directories = '${join(folder, 'socket')}'`,
    `hba_file = '${PLACES.rendered}/pg_hba.conf'`,
    `ident_file = '${PLACES.rendered}/pg_ident.conf'`,
    'shared_buffers = 128MB',
    "lc_messages = 'C'",
    'hot_standby = off',
    `restore_command = '${walCommand('fetch', KEY_FILE, '"%p"', '"%f"', ...wal)}'`,
    "recovery_target_timeline = 'current'",
    "recovery_target_action = 'promote'",
    ...targetOf(until),
    ...(archives ? archiveSettings(model) : []),
    '',
  ].join('\n');

const UNREACHED = 'recovery ended before configured recovery target was reached';

/**
 * Unpacks the cluster of a backup, replays WAL, and begins a new timeline, so that neither the consumers of events nor the archive
 * take it for the cluster that went on from there. It runs meanwhile without a port.
 * @param work what is done with the recovered cluster before it stops; it gets the folder of its socket
 */
export const recoverCluster = async (
  recovery: Recovery,
  model: Model,
  work: (socket: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> => {
  const { backup, folder, archives } = recovery;
  const { postgresBin } = model.machine;
  const [data, log] = [join(folder, 'postgresql'), join(folder, 'recovery.log')];
  const own = (path: string) => run('chown', ['-R', 'postgres:postgres', path]);
  const control = (...args: readonly string[]) =>
    asPostgres([`${postgresBin}/pg_ctl`, '-D', data, '-w', '-t', String(DAY_SECONDS), ...args]);
  const start = async (until: Recovery['until']): Promise<void> => {
    const settings = join(folder, 'recovery-settings.conf');
    writeFileSync(settings, settingsOf({ ...recovery, until }, wal, model));
    writeFileSync(join(data, 'recovery.signal'), '');
    await own(folder);
    await control('-o', `-c config_file=${settings}`, '-l', log, 'start');
    // pg_ctl does not wait for the end of a recovery.
    for (const deadline = Date.now() + DAY_SECONDS * 1_000; !isReady(data); await pause(500)) {
      await control('status');
      if (Date.now() > deadline) throw new Error('it did not end within a day.');
    }
  };
  await unpack(backup, 'postgresql', folder);
  const system = await systemIdentifier(postgresBin, data);
  const archivesOfWal = [walFolderOf(dirname(backup)), walFolderOf(model.configuration.backup.to)];
  const wal = [...new Set(archivesOfWal)].map(archive => join(archive, system));
  mkdirSync(join(folder, 'socket'), { mode: 0o700 });
  copyFileSync(BACKUP_KEY, KEY_FILE);
  chmodSync(KEY_FILE, 0o400);
  try {
    await own(KEY_FILE);
    await start(recovery.until).catch((error: unknown) => {
      const printed = readFileSync(log, 'utf8');
      // The archive has every transaction until this time, and none after it.
      if (recovery.until instanceof Date && printed.includes(UNREACHED)) return start('archive');
      throw new Error(`The databases could not be recovered: ${reasonIn(printed) ?? (error as Error).message}`);
    });
    try {
      await work(join(folder, 'socket'));
    } finally {
      // A fast shutdown archives what is left.
      await control('-m', archives ? 'fast' : 'immediate', 'stop');
    }
  } finally {
    rmSync(KEY_FILE, { force: true });
  }
};

/** Whether the recovery ended and the cluster is open, as its server records in a line of its file. */
const isReady = (data: string): boolean =>
  readIfExists(join(data, 'postmaster.pid'))?.split('\n')[7]?.trim() === 'ready';

const reasonIn = (log: string): string | undefined => /^.*(?:FATAL|PANIC): +(.*)$/m.exec(log)?.[1];
