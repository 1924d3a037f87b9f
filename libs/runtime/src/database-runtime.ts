/** Runs provisioned databases as server processes of this machine. The Kubernetes runtime refuses them. */
export abstract class DatabaseRuntime {
  /**
   * What has to be installed before databases of this kind can be created; undefined if nothing is missing.
   * @param version the major version; undefined if the runtime may choose.
   */
  abstract missingFor(kind: DatabaseKind, version?: string): Promise<string | undefined>;

  /** The host at which clients outside of the platform reach databases of this kind, or why they cannot. */
  abstract externalHostFor(kind: DatabaseKind): Promise<ExternalHost>;

  /** Reserves the host and port of a database. */
  abstract reserve(databaseId: string, kind: DatabaseKind): Promise<{ readonly host: string; readonly port: number }>;

  /**
   * Makes the database exist and run with exactly these credentials and limits; idempotent. Returns when the database
   * accepts connections. @throws an error whose message is for `status_reason`, or the reason of the aborted signal.
   */
  abstract ensure(order: DatabaseOrder, signal?: AbortSignal): Promise<void>;

  /** Whether the server of the database works now, also if all its connections are in use. */
  abstract isRunning(databaseId: string): Promise<boolean>;

  /** Whether a running database has no connection left for its owner. */
  abstract isBusy(databaseId: string): Promise<boolean>;

  /** Usage of a running relational database; undefined otherwise. */
  abstract usageOf(databaseId: string): Promise<DatabaseUsage | undefined>;

  /** Stops the database and deletes its data; nothing is left when it returns. Succeeds if the database does not exist. */
  abstract remove(databaseId: string): Promise<void>;

  /** Removes the processes and files of all databases that are not in `databaseIds`. */
  abstract retain(databaseIds: ReadonlySet<string>): Promise<void>;
}

export type DatabaseKind = 'relational' | 'key_value';

/** The port is the one of the database. */
export type ExternalHost = { readonly host: string } | { readonly refusal: string };

export interface DatabaseOrder {
  readonly databaseId: string;
  readonly kind: DatabaseKind;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly limits: DatabaseLimits;
  /** The major version that a relational database is created with; undefined if the runtime chooses. */
  readonly version?: string | undefined;
  /** The web services that may connect to it. */
  readonly attachedTo: readonly string[];
  /** Users with the rights of the owner, one for each attachment. */
  readonly attachmentUsers: readonly DatabaseUser[];
  /** IPv4 networks outside of the platform that may connect, in CIDR notation. */
  readonly allowedCidrs: readonly string[];
}

export interface DatabaseUser {
  readonly username: string;
  readonly password: string;
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
  /** The size of its files. */
  readonly storageBytes: number;
  /** The major version of the server, such as `15`. */
  readonly serverVersion?: string | undefined;
  /** The certificate (PEM) of the authority that signed the one of the server. */
  readonly caCertificate?: string | undefined;
}

export interface StorageState {
  readonly usedBytes: number;
  readonly readOnly: boolean;
}

/** Enforces the storage limit of databases, for runtimes that have to measure it themselves. */
export abstract class DatabaseStorage {
  /** Measures, and makes the database read-only or writable accordingly; undefined if nothing has to be enforced. */
  abstract enforceStorage(databaseId: string): Promise<StorageState | undefined>;
}

/** An extension of PostgreSQL that a relational database has or can get. */
export interface DatabaseExtension {
  readonly name: string;
  /** The version that would be enabled. */
  readonly version: string;
  readonly installedVersion: string | null;
  readonly description: string | null;
}

/** Extensions of running relational databases. */
export abstract class DatabaseExtensions {
  /** Those that the database has, and those that its owner can enable; undefined if the database does not run. */
  abstract extensionsOf(databaseId: string, owner: string): Promise<readonly DatabaseExtension[] | undefined>;

  /** Returns why the extension cannot be enabled, for the owner of the database; undefined if it is enabled. */
  abstract enableExtension(databaseId: string, owner: string, name: string): Promise<string | undefined>;
}

/** A complete backup in the storage of the runtime. */
export interface StoredBackup {
  /** Size of the stored, compressed backup. */
  readonly sizeBytes: number;
  /** SHA-256 of the stored backup, in hexadecimal. */
  readonly digest: string;
}

export interface DatabaseRestore {
  /** The configuration of the database after the restore. */
  readonly order: DatabaseOrder;
  readonly restoreId: string;
  readonly backupId: string;
  /** The digest of the backup when it was made. */
  readonly digest: string;
  /** The database that the backup is of; undefined if it is the restored database itself. */
  readonly sourceId?: string | undefined;
  /** The time (ISO 8601) up to which its changes after the backup are repeated; undefined for those of the backup only. */
  readonly targetTime?: string | undefined;
}

/** The times that a relational database can be recovered to. */
export interface DatabaseRecovery {
  /** Those of each backup, as ISO 8601: the backup, and the changes after it that are kept without a gap. */
  readonly ranges: readonly RecoveryRange[];
  /** Why not every time until now is possible; undefined if it is. */
  readonly problem?: string | undefined;
}

export interface RecoveryRange {
  readonly backupId: string;
  readonly earliest: string;
  readonly latest: string;
}

/** Backups of databases: each is a consistent copy of all data at one point in time. */
export abstract class DatabaseBackups {
  /**
   * Backs up a running database, which stays available. Returns the existing backup if the id is known.
   * @throws an error with a message for the owner of the database; no partial backup is left.
   */
  abstract backUp(databaseId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup>;

  /**
   * Replaces all data of a database by a backup of it or of another database, atomically; repeating a restore changes nothing.
   * @throws an error with a message for the owner of the database, which is unchanged then.
   */
  abstract restore(restore: DatabaseRestore, signal: AbortSignal): Promise<void>;

  /** Deletes the backups of a database that are not in `backupIds`. */
  abstract retainBackups(databaseId: string, backupIds: ReadonlySet<string>): Promise<void>;

  /** The times that the database can be recovered to; undefined if there is no such database, or it has no write-ahead log. */
  abstract recoveryOf(databaseId: string): Promise<DatabaseRecovery | undefined>;
}
