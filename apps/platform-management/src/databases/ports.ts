import type { DatabaseKind, DatabaseLimits } from '../ports/database-runtime.js';
import type { DatabaseCommand, DatabaseCreation, DatabaseStatus } from './database.js';

/** What a customer connects with. */
export interface DatabaseCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * All changes of databases: their events, and their credentials beside them, sealed and never in an event. Each change
 * is one transaction, and the read model shows it afterwards. Refusals of the decider pass through.
 */
export abstract class DatabaseRepository {
  abstract create(database: DatabaseCreation, credentials: DatabaseCredentials): Promise<void>;
  /** Forgets the credentials of a database that is deleted or given up with it. */
  abstract execute(databaseId: string, command: DatabaseCommand): Promise<void>;
  abstract credentialsOf(databaseId: string): Promise<DatabaseCredentials | undefined>;
  /** Forgets credentials of databases that are not among these and were kept before `before`. */
  abstract retainCredentials(databaseIds: ReadonlySet<string>, before: Date): Promise<void>;
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

export { DatabaseStorage, type StorageState } from '@postern/runtime';
