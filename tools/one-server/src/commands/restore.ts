import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { planOf } from '../applying/plan.js';
import { isBackupName, manifestOf, rangeOfBackup } from '../backups/backup-folder.js';
import { BackupBucket, downloadBackup } from '../backups/bucket.js';
import { archiveCurrentWal } from '../backups/create-backup.js';
import { describePlatformData } from '../backups/platform-contents.js';
import { verifyFiles } from '../backups/prove-backup.js';
import { decryptSecrets, restoreSteps } from '../backups/restore-backup.js';
import { demandTarget, walFolderOfBackup } from '../backups/wal-archive.js';
import { BACKUP_FOLDER, bucketOf } from '../configuration/schema.js';
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

/** Nothing was changed, so nothing will be resumed. */
const forgetKey = (error: unknown): never => {
  rmSync(KEY_FILE, { force: true });
  throw error;
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

export interface RestoreOptions {
  readonly yes: boolean;
  /** The time to which the databases are restored, in RFC 3339; that of the backup unless it is given. */
  readonly targetTime?: string;
  /** The S3 storage of a backup in a bucket. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly resumed?: boolean;
}

/** A folder as it is; of a backup `s3://bucket/prefix/name`, the folder on this server into which it was copied. */
const onThisServer = async (given: string, options: RestoreOptions, print: Print): Promise<string> => {
  if (!given.startsWith('s3://')) return given;
  const [, folder = '', name = ''] = /^(.*)\/([^/]+)$/.exec(given) ?? [];
  const bucket = bucketOf(folder);
  if (!bucket || !isBackupName(name))
    throw new UsageError(`${given} is no backup in a bucket, such as s3://bucket/prefix/2026-11-27T18-00-00Z`);
  print(`Copying ${given} to ${BACKUP_FOLDER}`);
  const { endpoint, region = 'us-east-1' } = options;
  return downloadBackup(
    new BackupBucket({ ...bucket, endpoint, region }),
    name,
    BACKUP_FOLDER,
    options.targetTime !== undefined,
  );
};

/** @returns the folder of a backup that can be restored. Everything that can be refused is, before anything is changed. */
const checkedBackup = async (
  given: string,
  target: Date | undefined,
  options: RestoreOptions,
  print: Print,
): Promise<string> => {
  const folder = await onThisServer(given, options, print);
  const manifest = await verifyFiles(folder);
  await demandKey(folder);
  if (!target) return folder;
  if (manifest.wal && existsSync(walFolderOfBackup(folder, manifest.wal))) await archiveFirst(manifest.wal.system);
  demandTarget(target, rangeOfBackup(folder, manifest));
  return folder;
};

/** `restore <backup>`: replaces everything on this machine, which may be empty, by a backup. The key is on standard input. */
export const restore = (given: string, options: RestoreOptions, print: Print): Promise<void> => {
  if (!isAbsolute(given) && !given.startsWith('s3://'))
    throw new UsageError(
      'the backup must be an absolute path, such as one of "postern backup list", or s3://bucket/prefix/name',
    );
  const target = options.targetTime === undefined ? undefined : timeOf(options.targetTime);
  if (!options.yes && existsSync(`${PLACES.postgres}/PG_VERSION`))
    throw new UsageError('this replaces the data of this server; if you want that, add --yes');
  return withLock(async () => {
    if (!options.resumed || !existsSync(KEY_FILE)) keepKey(readFileSync(0, 'utf8'));
    const folder = options.resumed ? given : await checkedBackup(given, target, options, print).catch(forgetKey);
    const args = { folder, yes: options.yes, ...(target ? { targetTime: target.toISOString() } : {}) };
    await runSteps('restore', args, restoreSteps({ backup: folder, keyFile: KEY_FILE, target }, print), print);
    rmSync(KEY_FILE, { force: true });
    const backedUpAt = manifestOf(folder)?.createdAt;
    const restoredTo = target?.toISOString() ?? backedUpAt;
    print(`Restored the state of ${restoredTo}.`);
    if (target) print(`Certificates, disks and the backups of workspaces have the state of the backup, ${backedUpAt}.`);
    print(describePlatformData(PLACES.platform));
    print(
      'Databases of workspaces that were not on this server start empty; their owners restore a backup. ' +
        'They can be recovered to times after their next backup only.',
    );
    print(
      `Postern has no record of messages that were sent after ${restoredTo}; their webhooks may have been sent. Run "postern doctor".`,
    );
  });
};
