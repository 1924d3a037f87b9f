import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { planOf } from '../applying/plan.js';
import { manifestOf, rangeOfBackup } from '../backups/backup-folder.js';
import { archiveCurrentWal } from '../backups/create-backup.js';
import { verifyFiles } from '../backups/prove-backup.js';
import { decryptSecrets, restoreSteps } from '../backups/restore-backup.js';
import { demandTarget, walFolderOfBackup } from '../backups/wal-archive.js';
import { writeDurably } from '../machine/files.js';
import { succeeds } from '../machine/run.js';
import { runSteps } from '../operations/journal.js';
import { withLock } from '../operations/lock.js';
import { unitOf } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { UsageError } from '../usage-error.js';

type Print = (line: string) => void;

/** The key while a restore runs, on a file system in memory, for `resume` after a kill of the command. */
const KEY_FILE = '/run/postern/recovery-key';
const KEY = /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/;

const keepKey = (given: string): void => {
  const key = given.trim().toUpperCase();
  if (!KEY.test(key)) throw new UsageError('standard input is no recovery key; it begins with AGE-SECRET-KEY-1');
  mkdirSync('/run/postern', { recursive: true, mode: 0o755 });
  writeDurably(KEY_FILE, `${key}\n`, 0o400);
};

const demandKey = async (folder: string): Promise<void> => {
  const scratch = mkdtempSync('/run/postern/key-');
  try {
    await decryptSecrets(folder, KEY_FILE, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};

const TIME = z.iso.datetime({ offset: true });

/** @throws UsageError if it is no time. */
const timeOf = (given: string): Date => {
  if (!TIME.safeParse(given).success)
    throw new UsageError(
      `--target-time must be a time as in RFC 3339, such as 2026-11-27T18:00:00Z; not ${JSON.stringify(given)}`,
    );
  return new Date(given);
};

/** What was written last is archived first, so that it can be restored as well. */
const archiveFirst = async (system: string): Promise<void> => {
  const running = await succeeds('systemctl', ['is-active', '--quiet', unitOf('postgresql')]);
  if (running) await archiveCurrentWal((await planOf()).model.configuration.backup.to, system);
};

/** Everything that can be refused before anything is changed. */
const demandRestorable = async (folder: string, target: Date | undefined): Promise<void> => {
  const manifest = await verifyFiles(folder);
  await demandKey(folder);
  if (!target) return;
  if (manifest.wal && existsSync(walFolderOfBackup(folder, manifest.wal))) await archiveFirst(manifest.wal.system);
  demandTarget(target, rangeOfBackup(folder, manifest));
};

export interface RestoreOptions {
  readonly yes: boolean;
  /** The time to which the databases are restored, in RFC 3339; that of the backup unless it is given. */
  readonly targetTime?: string;
  readonly resumed?: boolean;
}

/** `restore <backup>`: replaces everything on this machine, which may be empty, by a backup. The key is on standard input. */
export const restore = (folder: string, options: RestoreOptions, print: Print): Promise<void> => {
  if (!isAbsolute(folder))
    throw new UsageError('the backup must be an absolute path, such as one of "postern backup list"');
  const target = options.targetTime === undefined ? undefined : timeOf(options.targetTime);
  if (!options.yes && existsSync(`${PLACES.postgres}/PG_VERSION`))
    throw new UsageError('this replaces the data of this server; if you want that, add --yes');
  return withLock(async () => {
    if (!options.resumed || !existsSync(KEY_FILE)) keepKey(readFileSync(0, 'utf8'));
    if (!options.resumed)
      await demandRestorable(folder, target).catch((error: unknown) => {
        rmSync(KEY_FILE, { force: true });
        throw error;
      });
    const args = { folder, yes: options.yes, ...(target ? { targetTime: target.toISOString() } : {}) };
    await runSteps('restore', args, restoreSteps({ backup: folder, keyFile: KEY_FILE, target }, print), print);
    rmSync(KEY_FILE, { force: true });
    const backedUpAt = manifestOf(folder)?.createdAt;
    const restoredTo = target?.toISOString() ?? backedUpAt;
    print(`Restored the state of ${restoredTo}.`);
    if (target)
      print(`Certificates, disks of web services and their databases have the state of the backup, ${backedUpAt}.`);
    print(
      `Postern has no record of messages that were sent after ${restoredTo}; their webhooks may have been sent. Run "postern doctor".`,
    );
  });
};
