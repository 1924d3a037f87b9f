import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../machine/files.js';
import {
  type BackupWal,
  joinRanges,
  listWal,
  restorableRange,
  type TimeRange,
  walFolderOfBackup,
} from './wal-archive.js';

/** What a backup contains, `manifest.json` in its folder. */
export interface BackupManifest {
  /** The first format has archives that are not encrypted, and no WAL. */
  readonly format: 1 | 2;
  readonly createdAt: string;
  /** The release that wrote it. */
  readonly version: string;
  readonly postgresVersion: string;
  /** The number of events of each database at the beginning of the backup. */
  readonly events: Readonly<Record<string, number>>;
  /** SHA-256 of each file. */
  readonly files: Readonly<Record<string, string>>;
  /** Where the WAL that continues it begins. */
  readonly wal?: BackupWal;
  /** When it was restored into a scratch cluster and compared. */
  readonly provenAt?: string;
}

const NAME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/;

export const backupName = (time: Date): string => `${time.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;

export const isBackupName = (name: string): boolean => NAME.test(name);

/** The names of complete backups, oldest first. An interrupted one has no manifest. */
export const listBackups = (folder: string): readonly string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter(name => isBackupName(name) && existsSync(join(folder, name, 'manifest.json')))
    .sort();

export const manifestOf = (folder: string): BackupManifest | undefined =>
  readJson<BackupManifest>(join(folder, 'manifest.json'));

/** The names of the backups that were restored into a scratch cluster. */
export const provenBackups = (folder: string): ReadonlySet<string> =>
  new Set(listBackups(folder).filter(name => manifestOf(join(folder, name))?.provenAt !== undefined));

/** The newest complete backup. */
export const latestBackup = (folder: string): (BackupManifest & { readonly path: string }) | undefined => {
  const name = listBackups(folder).at(-1);
  if (name === undefined) return undefined;
  const manifest = manifestOf(join(folder, name));
  return manifest && { ...manifest, path: join(folder, name) };
};

/** The backups to delete so that `keep` stay. The newest proven one stays in any case. */
export const outdatedBackups = (
  names: readonly string[],
  proven: ReadonlySet<string>,
  keep: number,
): readonly string[] => {
  const newestProven = [...names].reverse().find(name => proven.has(name));
  return names.slice(0, Math.max(0, names.length - keep)).filter(name => name !== newestProven);
};

/** The times to which a backup can be restored. */
export const rangeOfBackup = (folder: string, { wal }: BackupManifest): TimeRange | undefined =>
  wal && restorableRange(listWal(walFolderOfBackup(folder, wal)), wal);

/** The times to which the backups in a folder can be restored. */
export const restorableRanges = (folder: string): readonly TimeRange[] =>
  joinRanges(
    listBackups(folder).flatMap(name => {
      const manifest = manifestOf(join(folder, name));
      return (manifest && rangeOfBackup(join(folder, name), manifest)) ?? [];
    }),
  );
