/** What runs provisioned databases: a process each on this machine, or operators on Kubernetes. */
export abstract class DatabaseRuntime {
  /** What has to be installed before databases of this kind can be made; undefined when nothing is missing. */
  abstract missingFor(kind: DatabaseKind): Promise<string | undefined>;

  /** Where a database will be reached; reserved for it from now on. */
  abstract reserve(databaseId: string, kind: DatabaseKind): Promise<{ readonly host: string; readonly port: number }>;

  /**
   * Makes the database exist and run with exactly these credentials and limits; the same order again changes nothing.
   * Returns when it answers. @throws with words for `status_reason` when it cannot, and once the signal is aborted.
   */
  abstract ensure(order: DatabaseOrder, signal?: AbortSignal): Promise<void>;

  /** Whether it answers now. */
  abstract isRunning(databaseId: string): Promise<boolean>;

  /** Of relational ones that run; undefined otherwise. */
  abstract usageOf(databaseId: string): Promise<DatabaseUsage | undefined>;

  /** Stops it and deletes its data; nothing is left when it returns. One that is not there is deleted. */
  abstract remove(databaseId: string): Promise<void>;

  /** Removes whatever runs or lies on disk for databases that are not among these. */
  abstract retain(databaseIds: ReadonlySet<string>): Promise<void>;
}

export type DatabaseKind = 'relational' | 'key_value';

export interface DatabaseOrder {
  readonly databaseId: string;
  readonly kind: DatabaseKind;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly limits: DatabaseLimits;
}

export interface DatabaseLimits {
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
  readonly storageBytes: number;
  readonly connections: number;
}

export interface DatabaseUsage {
  readonly cpuMillicores: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly memoryPercent: number;
}

export interface StorageState {
  readonly usedBytes: number;
  readonly readOnly: boolean;
}

/** The bound of what a database may store, for runtimes that have to watch it themselves. */
export abstract class DatabaseStorage {
  /** Measures, and makes the database read-only or writable accordingly; undefined where nothing needs watching. */
  abstract enforceStorage(databaseId: string): Promise<StorageState | undefined>;
}

/** A complete backup, as the runtime keeps it. */
export interface StoredBackup {
  /** As kept, which is compressed. */
  readonly sizeBytes: number;
  /** SHA-256 of what is kept, in hexadecimal. */
  readonly digest: string;
}

export interface DatabaseRestore {
  /** How the database runs afterwards. */
  readonly order: DatabaseOrder;
  readonly restoreId: string;
  readonly backupId: string;
  /** The digest that the backup had when it was made. */
  readonly digest: string;
}

/** Backups of databases: each holds everything that its database had stored at one time. */
export abstract class DatabaseBackups {
  /**
   * Copies a running database, which stays available. The same id again answers the backup that exists.
   * @throws with words for its owner when it cannot; nothing of it is left then.
   */
  abstract backUp(databaseId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup>;

  /**
   * Replaces everything in a database by a backup, all or nothing; the same restore again changes nothing.
   * @throws with words for its owner when it cannot; the database is as before then.
   */
  abstract restore(restore: DatabaseRestore, signal: AbortSignal): Promise<void>;

  /** Deletes the backups of a database that are not among these. */
  abstract retainBackups(databaseId: string, backupIds: ReadonlySet<string>): Promise<void>;
}
