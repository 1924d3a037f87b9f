import type { CreationLimit } from '@postern/event-sourcing';
import type { DatabaseKind, DatabaseLimits, StoredBackup } from '@postern/runtime';
import type { DatabaseCommand, DatabaseCreation, DatabaseStatus } from './database.js';

/** What customers connect with. */
export interface DatabaseCredentials {
  readonly username: string;
  readonly password: string;
}

/** Credentials with the number of times that their password was replaced. */
export interface RotatedCredentials extends DatabaseCredentials {
  readonly rotation: number;
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
  abstract credentialsOf(databaseId: string): Promise<RotatedCredentials | undefined>;
  /** Replaces the password. Refuses with `database_not_found`. */
  abstract rotate(databaseId: string, password: string): Promise<RotatedCredentials>;
  /** Notes that the database takes the password of that rotation. */
  abstract confirmRotation(databaseId: string, rotation: number): Promise<void>;
  /** Databases whose newest password was not confirmed. */
  abstract findPendingRotations(): Promise<ReadonlySet<string>>;
  /** Records that a database is nearly full, or has space again; repeated reports change nothing. */
  abstract reportStorage(
    database: Pick<DatabaseRow, 'id' | 'workspaceId' | 'limits'>,
    usedBytes: number,
  ): Promise<void>;
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

export interface NewAttachment {
  readonly id: string;
  readonly databaseId: string;
  readonly webServiceId: string;
  readonly variable: string;
}

export interface Attachment extends NewAttachment {
  readonly createdAt: Date;
}

export interface NamedAttachment extends Attachment {
  readonly webServiceName: string;
}

/** Which web services get the connection URL of a database, and in which variable. */
export abstract class DatabaseAttachments {
  /** Refuses with `database_not_found`, `web_service_not_found` and `variable_in_use`. */
  abstract attach(attachment: NewAttachment): Promise<Attachment>;
  /** @returns whether there was one. */
  abstract detach(databaseId: string, attachmentId: string): Promise<boolean>;
  /** Oldest first. */
  abstract listOf(databaseId: string): Promise<readonly NamedAttachment[]>;
}

export interface BackupRecord {
  readonly id: string;
  readonly databaseId: string;
  readonly scheduled: boolean;
  readonly status: 'creating' | 'completed' | 'failed';
  readonly sizeBytes: number | null;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface RestoreRecord {
  readonly id: string;
  readonly databaseId: string;
  readonly backupId: string;
  readonly status: 'restoring' | 'completed' | 'failed';
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface BackupWithRestore extends BackupRecord {
  readonly lastRestore: RestoreRecord | undefined;
}

/** Backups and restores: what was requested, and what came of it. */
export abstract class DatabaseBackupRecords {
  /** Refuses with `database_not_found`, and with `backup_under_way` while one of the database is unfinished. */
  abstract request(databaseId: string, backupId: string): Promise<BackupRecord>;
  /** Requests scheduled backups of all databases whose last one is so old. */
  abstract requestDue(everyHours: number): Promise<void>;
  /** Refuses with `backup_not_found`, `backup_not_completed` and `restore_under_way`. */
  abstract requestRestore(databaseId: string, backupId: string, restoreId: string): Promise<RestoreRecord>;
  /** Newest first. */
  abstract listOf(databaseId: string): Promise<readonly BackupWithRestore[]>;
  /** Of all databases, oldest first. */
  abstract unfinishedBackups(): Promise<readonly BackupRecord[]>;
  abstract unfinishedRestores(): Promise<readonly RestoreRecord[]>;
  /** Undefined unless the backup is completed. */
  abstract digestOf(backupId: string): Promise<string | undefined>;
  abstract completeBackup(backupId: string, stored: StoredBackup): Promise<void>;
  abstract failBackup(backupId: string, error: string): Promise<void>;
  /** Completed without an error, failed with one. */
  abstract finishRestore(restoreId: string, error?: string): Promise<void>;
  /** Forgets all but the newest backups of each database; those that are being restored stay. */
  abstract deleteOld(kept: number): Promise<void>;
}

/** What the operator configures about backups. */
export abstract class BackupSettings {
  /** Between scheduled backups of a database; 0 for none. */
  abstract readonly everyHours: number;
  /** How many are kept of each database. */
  abstract readonly kept: number;
}
