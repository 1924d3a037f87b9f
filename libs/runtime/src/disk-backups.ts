import type { StoredBackup } from './database-runtime.js';

export interface DiskRestore {
  readonly webServiceId: string;
  /** The size of the disk after the restore. */
  readonly sizeMib: number;
  readonly restoreId: string;
  readonly backupId: string;
  /** The digest of the backup when it was made. */
  readonly digest: string;
}

const NOT_SUPPORTED = 'this runtime does not back up disks';

/** Backups of the disks of web services, for runtimes with the feature `diskBackups`. */
export abstract class DiskBackups {
  /**
   * Copies the files of the disk of a web service, which keeps running. Returns the existing backup if the id is
   * known. @throws an error with a message for the owner; no partial backup is left.
   */
  backUpDisk(_webServiceId: string, _backupId: string, _signal: AbortSignal): Promise<StoredBackup> {
    return Promise.reject(new Error(NOT_SUPPORTED));
  }

  /**
   * Replaces all files of a disk by those of a backup in one step, between the end of the instance with the disk and its next start.
   * Repeating a restore changes nothing. @throws an error with a message for the owner; the disk is unchanged then.
   */
  restoreDisk(_restore: DiskRestore, _signal: AbortSignal): Promise<void> {
    return Promise.reject(new Error(NOT_SUPPORTED));
  }

  /** Deletes the backups of a disk that are not in `backupIds`. */
  async retainDiskBackups(_webServiceId: string, _backupIds: ReadonlySet<string>): Promise<void> {}
}
