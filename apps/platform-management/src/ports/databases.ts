import { Streams } from '@postern/event-sourcing';
import type { DatabaseStatus } from '../domain/databases/database.js';
import type { DatabaseKind, DatabaseLimits } from './database-runtime.js';

/** The streams of databases, whose writers see their own writes in the read model of databases. */
export abstract class DatabaseStreams extends Streams {}

/** What a customer connects with. */
export interface DatabaseCredentials {
  readonly username: string;
  readonly password: string;
}

/** Credentials of databases, sealed at rest, never in an event. */
export abstract class CredentialVault {
  abstract keep(databaseId: string, credentials: DatabaseCredentials): Promise<void>;
  abstract find(databaseId: string): Promise<DatabaseCredentials | undefined>;
  abstract forget(databaseId: string): Promise<void>;
  /** Forgets those of databases that are not among these and were kept before `before`. */
  abstract retain(databaseIds: ReadonlySet<string>, before: Date): Promise<void>;
}

export interface DatabaseRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly kind: DatabaseKind;
  readonly status: DatabaseStatus;
  readonly statusReason: string | undefined;
  readonly plan: string;
  readonly limits: DatabaseLimits;
  readonly host: string;
  readonly port: number;
  readonly createdAt: Date;
}

/** The read model of databases that have not been deleted. */
export abstract class DatabaseDirectory {
  abstract find(databaseId: string): Promise<DatabaseRow | undefined>;
  /** Of all workspaces, for supervision. */
  abstract all(): Promise<readonly DatabaseRow[]>;
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
