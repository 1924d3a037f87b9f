import type { CreationLimit } from '@postern/event-sourcing';
import type { DatabaseKind, DatabaseLimits } from '@postern/runtime';
import type { DatabaseCommand, DatabaseCreation, DatabaseStatus } from './database.js';

/** What customers connect with. */
export interface DatabaseCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Writes databases: their events and encrypted credentials in one transaction. The read model shows a change when a
 * method returns. Refusals of the decider pass through.
 */
export abstract class DatabaseRepository {
  /** Refuses `quota_reached` past the limit. */
  abstract create(database: DatabaseCreation, credentials: DatabaseCredentials, limit: CreationLimit): Promise<void>;
  /** Also deletes the credentials when the database is deleted or its provisioning fails. */
  abstract execute(databaseId: string, command: DatabaseCommand): Promise<void>;
  abstract credentialsOf(databaseId: string): Promise<DatabaseCredentials | undefined>;
  /** Deletes credentials created before `before` for databases that are not in `databaseIds`. */
  abstract deleteUnusedCredentials(databaseIds: ReadonlySet<string>, before: Date): Promise<void>;
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
  /** Databases of all workspaces, for the reconciler. */
  abstract all(): Promise<readonly DatabaseRow[]>;
}
