import { join } from 'node:path';
import type { Bucket } from '../configuration/schema.js';
import { readJson, writeJson } from '../machine/files.js';
import { run } from '../machine/run.js';
import { SecretStore } from '../machine/secret-store.js';
import type { Model } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { type BackupManifest, isBackupName, manifestOf, outdatedBackups, provenBackups } from './backup-folder.js';
import { unneededWal, walFolderOf } from './wal-archive.js';

/** When everything that was there then had reached the bucket. */
const STATE = `${PLACES.state}/backup-copy.json`;
const LIST_WITHIN_MS = 300_000;
const COPY_WITHIN_MS = 24 * 3_600_000;

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The credentials of the bucket, of this server or of the environment. */
export const bucketCredentials = (secrets = new SecretStore()): Credentials => {
  const accessKeyId = secrets.read('s3-access-key-id') ?? process.env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = secrets.read('s3-secret-access-key') ?? process.env['AWS_SECRET_ACCESS_KEY'];
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  throw new Error('The credentials of the bucket are missing. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
};

/** Calls of rclone, with the folder of the backups in the bucket as `bucket:`. */
export class BackupBucket {
  constructor(
    private readonly s3: Bucket,
    private readonly credentials: Credentials = bucketCredentials(),
  ) {}

  get url(): string {
    return `s3://${this.path().slice('bucket:'.length)}`;
  }

  /** A path of rclone. */
  path(...names: readonly string[]): string {
    return `bucket:${[this.s3.bucket, this.s3.prefix, ...names].filter(name => name !== '').join('/')}`;
  }

  call(
    args: readonly string[],
    options: { readonly input?: string; readonly timeoutMs?: number } = {},
  ): Promise<string> {
    const { endpoint, region } = this.s3;
    const environment = {
      RCLONE_CONFIG: '/notfound',
      RCLONE_CONFIG_BUCKET_TYPE: 's3',
      RCLONE_CONFIG_BUCKET_PROVIDER: endpoint === undefined ? 'AWS' : 'Other',
      RCLONE_CONFIG_BUCKET_ACCESS_KEY_ID: this.credentials.accessKeyId,
      RCLONE_CONFIG_BUCKET_SECRET_ACCESS_KEY: this.credentials.secretAccessKey,
      RCLONE_CONFIG_BUCKET_REGION: region,
      RCLONE_CONFIG_BUCKET_NO_CHECK_BUCKET: 'true',
      ...(endpoint === undefined ? {} : { RCLONE_CONFIG_BUCKET_ENDPOINT: endpoint }),
    };
    return run('rclone', args, { environment, timeoutMs: LIST_WITHIN_MS, ...options });
  }

  /** Copies what the target does not have. Files of backups never change, except for the time of a proof in a manifest. */
  async copy(from: string, to: string, filters: readonly string[] = []): Promise<void> {
    await this.call(['copy', from, to, '--size-only', ...filters], { timeoutMs: COPY_WITHIN_MS });
  }

  /** The names of the backups in the bucket, oldest first. */
  async listBackups(): Promise<readonly string[]> {
    const manifests = ['--recursive', '--files-only', '--include', '/*/manifest.json'];
    const listed = await this.call(['lsf', ...manifests, this.path()]);
    return listed
      .split('\n')
      .map(path => path.split('/')[0] ?? '')
      .filter(isBackupName)
      .sort();
  }
}

/** Copies backups and WAL that the bucket does not have. */
export const copyToBucket = async ({ configuration: { backup } }: Model, bucket: BackupBucket): Promise<void> => {
  const copiedAt = new Date().toISOString();
  await bucket.copy(backup.to, bucket.path(), ['--exclude', '*.incomplete', '--exclude', '*.incomplete/**']);
  writeJson(STATE, { copiedAt });
};

/** When everything that was there then had reached the bucket; undefined before the first copy. */
export const copiedToBucketAt = (): Date | undefined => {
  const state = readJson<{ copiedAt: string }>(STATE);
  return state && new Date(state.copiedAt);
};

/** Deletes the backups in the bucket that are not kept, and the WAL that no kept one needs, by the rules of the folder. */
export const deleteOutdatedInBucket = async (
  { configuration: { backup } }: Model,
  bucket: BackupBucket,
): Promise<void> => {
  const names = await bucket.listBackups();
  const outdated = new Set(outdatedBackups(names, provenBackups(backup.to), backup.keep));
  for (const name of outdated) await bucket.call(['purge', bucket.path(name)]);
  const kept = names.filter(name => !outdated.has(name));
  const manifests = await Promise.all(kept.map(name => manifestIn(bucket, backup.to, name)));
  const listed = (await bucket.call(['lsf', '--recursive', '--files-only', bucket.path('wal')])).split('\n');
  const unneeded = unneededWal(
    listed,
    manifests.flatMap(({ wal }) => wal ?? []),
  );
  if (unneeded.length > 0)
    await bucket.call(['delete', bucket.path('wal'), '--files-from-raw', '-'], { input: `${unneeded.join('\n')}\n` });
};

const manifestIn = async (bucket: BackupBucket, folder: string, name: string): Promise<BackupManifest> =>
  manifestOf(join(folder, name)) ??
  (JSON.parse(await bucket.call(['cat', bucket.path(name, 'manifest.json')])) as BackupManifest);

/** Brings a backup and its WAL from a bucket to the folder of backups. @returns its path. */
export const downloadBackup = async (
  bucket: BackupBucket,
  name: string,
  folder: string,
  withWal: boolean,
): Promise<string> => {
  const names = await bucket.listBackups();
  if (!names.includes(name))
    throw new Error(`The bucket has no backup ${name}. Its backups are: ${names.join(', ') || 'none'}.`);
  const path = join(folder, name);
  await bucket.copy(bucket.path(name), path);
  const wal = manifestOf(path)?.wal;
  if (!wal) return path;
  // Without a target time, only the histories are needed, so that the new timeline has a number of its own.
  const filters = withWal ? [] : ['--include', '*.history.*'];
  await bucket.copy(bucket.path('wal', wal.system), join(walFolderOf(folder), wal.system), filters);
  await run('chown', ['-R', 'postgres:postgres', walFolderOf(folder)]);
  await run('chmod', ['0711', folder]);
  return path;
};
