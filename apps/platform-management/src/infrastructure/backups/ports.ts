/** What a backup is of. */
export type BackupKind = 'database' | 'disk';

export interface BackupRecord {
  readonly id: string;
  /** The database, or the web service with the disk. */
  readonly resourceId: string;
  readonly scheduled: boolean;
  readonly status: 'creating' | 'completed' | 'failed';
  readonly sizeBytes: number | null;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface RestoreRecord {
  readonly id: string;
  readonly resourceId: string;
  readonly backupId: string;
  readonly status: 'restoring' | 'completed' | 'failed';
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface BackupWithRestore extends BackupRecord {
  readonly lastRestore: RestoreRecord | undefined;
}

/** The operator's settings of backups. */
export abstract class BackupSettings {
  /** Interval of scheduled backups of a database or disk; 0 disables them. */
  abstract readonly everyHours: number;
  /** Number of scheduled and of requested backups that are kept of each. */
  abstract readonly kept: number;
}
