/** What runs provisioned databases: a process each on this machine, or operators on Kubernetes. */
export abstract class DatabaseRuntime {
  /** What has to be installed before databases of this kind can be made; undefined when nothing is missing. */
  abstract missingFor(kind: DatabaseKind): Promise<string | undefined>;

  /** Where a database will be reached; reserved for it from now on. */
  abstract reserve(databaseId: string, kind: DatabaseKind): Promise<{ readonly host: string; readonly port: number }>;

  /**
   * Makes the database exist and run with exactly these credentials and limits; the same order again changes nothing.
   * Returns when it answers. @throws with words for `status_reason` when it cannot.
   */
  abstract ensure(order: DatabaseOrder): Promise<void>;

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
