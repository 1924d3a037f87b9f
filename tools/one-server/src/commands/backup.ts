import { isAbsolute, join } from 'node:path';
import { planOf } from '../applying/plan.js';
import { listBackups, manifestOf, rangeOfBackup } from '../backups/backup-folder.js';
import { BackupBucket, copyToBucket, deleteOutdatedInBucket } from '../backups/bucket.js';
import { createBackup } from '../backups/create-backup.js';
import { proveBackup } from '../backups/prove-backup.js';
import { rangeText } from '../backups/wal-archive.js';
import { withLock } from '../operations/lock.js';
import { UsageError } from '../usage-error.js';

type Print = (line: string) => void;

const WEEK_MS = 7 * 86_400_000;

export interface BackupOptions {
  readonly to?: string;
  /** Started by the timer: proves a backup once a week only. */
  readonly scheduled?: boolean;
}

/** Whether a backup of this week was proven. */
const isProven = (folder: string): boolean =>
  listBackups(folder).some(name => {
    const provenAt = manifestOf(join(folder, name))?.provenAt;
    return provenAt !== undefined && Date.now() - Date.parse(provenAt) < WEEK_MS;
  });

/** `backup`: copies everything that a restore needs, and proves the copy in a scratch cluster. */
export const backup = (options: BackupOptions, print: Print): Promise<void> => {
  if (options.to !== undefined && !isAbsolute(options.to)) throw new UsageError('--to must be an absolute path');
  return withLock(async () => {
    const { model } = await planOf();
    const folder = options.to ?? model.configuration.backup.to;
    const due = !options.scheduled || !isProven(folder);
    const path = await createBackup(model, print, { to: folder });
    if (due) await proveBackup(path, model, print);
    print(`Backup: ${path}`);
    if (options.to === undefined && model.configuration.backup.s3) {
      const bucket = new BackupBucket(model.configuration.backup.s3);
      await copyToBucket(model, bucket);
      await deleteOutdatedInBucket(model, bucket);
      print(`Copied to ${bucket.url}`);
    }
  });
};

/** `backup copy`, which a timer starts: copies what the bucket does not have. */
export const copyBackups = (print: Print): Promise<void> =>
  withLock(async () => {
    const { model } = await planOf();
    const { s3 } = model.configuration.backup;
    if (!s3) throw new UsageError('backup.to in config.yaml is no bucket');
    const bucket = new BackupBucket(s3);
    await copyToBucket(model, bucket);
    print(`Copied to ${bucket.url}`);
  }, '/run/postern/backup-copy-lock');

/** `backup list`. */
export const showBackups = async (print: Print): Promise<void> => {
  const { model } = await planOf();
  const folder = model.configuration.backup.to;
  const names = listBackups(folder);
  for (const name of names) {
    const manifest = manifestOf(join(folder, name));
    if (!manifest) continue;
    const range = rangeOfBackup(join(folder, name), manifest);
    print(
      `${join(folder, name)}  version ${manifest.version}  ${manifest.provenAt === undefined ? 'not proven' : 'proven'}  ${range ? `times ${rangeText(range)}` : 'only as it is'}`,
    );
  }
  if (names.length === 0) print('There is no backup yet. Create one: postern backup');
};
