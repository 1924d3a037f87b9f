import type { CreationLimit } from '@postern/event-sourcing';
import type { DatabaseKind, DatabaseLimits, StoredBackup } from '@postern/runtime';
import type { DatabaseCommand, DatabaseCreation, DatabaseStatus } from './database.js';

/** The user name and password that customers connect with. */
export interface DatabaseCredentials {
  readonly username: string;
  readonly password: string;
}

/** Binds the encrypted password of a database to its row. */
export const credentialsRow = (databaseId: string): string => `database_credentials/${databaseId}`;

/** Credentials with the number of password rotations. */
export interface RotatedCredentials extends DatabaseCredentials {
  readonly rotation: number;
}

/**
 * Writes the events and encrypted credentials of databases in one transaction. The read model includes a change when the
 * method returns. @throws also the refusals of the decider.
 */
export abstract class DatabaseRepository {
  /** Refuses with `quota_reached` beyond the limit. */
  abstract create(database: DatabaseCreation, credentials: DatabaseCredentials, limit: CreationLimit): Promise<void>;
  /** Also deletes the credentials when the database is deleted or its provisioning fails. */
  abstract execute(databaseId: string, command: DatabaseCommand): Promise<void>;
  abstract credentialsOf(databaseId: string): Promise<RotatedCredentials | undefined>;
  /** Replaces the password. Refuses with `database_not_found`. */
  abstract rotate(databaseId: string, password: string): Promise<RotatedCredentials>;
  /** Records the host at which the database is reached now; the next rotation tells attached web services. */
  abstract move(databaseId: string, host: string): Promise<void>;
  /** Records that the database accepts the password of this rotation. */
  abstract confirmRotation(databaseId: string, rotation: number): Promise<void>;
  /** Databases whose newest password is not confirmed. */
  abstract findPendingRotations(): Promise<ReadonlySet<string>>;
  /** Records that a database is nearly full or has space again; repeated reports have no effect. */
  abstract reportStorage(
    database: Pick<DatabaseRow, 'id' | 'workspaceId' | 'limits'>,
    usedBytes: number,
  ): Promise<void>;
  /** Deletes credentials that were created before `before` for databases that are not in `databaseIds`. */
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

/** An attachment by its id. */
export type AttachedService = Pick<Attachment, 'id' | 'webServiceId'>;

export interface NamedAttachment extends Attachment {
  readonly webServiceName: string;
}

/** Which web services receive the connection URL of a database, and in which variable. */
export abstract class DatabaseAttachments {
  /** Refuses with `database_not_found`, `web_service_not_found` and `variable_in_use`. */
  abstract attach(attachment: NewAttachment): Promise<Attachment>;
  /**
   * Web services of earlier versions have the password of the owner: the first one that is detached has it replaced.
   * @returns whether the attachment existed.
   */
  abstract detach(databaseId: string, attachmentId: string): Promise<boolean>;
  /** Oldest first. */
  abstract listOf(databaseId: string): Promise<readonly NamedAttachment[]>;
  /** The attachments of all databases in the order of their ids, by the id of the database. */
  abstract all(): Promise<ReadonlyMap<string, readonly AttachedService[]>>;
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

/** Requests and results of backups and restores. */
export abstract class DatabaseBackupRecords {
  /** Refuses with `database_not_found`, and with `backup_under_way` while a backup of the database is unfinished. */
  abstract request(databaseId: string, backupId: string): Promise<BackupRecord>;
  /** Requests scheduled backups of all databases whose last scheduled backup is `everyHours` old. */
  abstract requestDue(everyHours: number): Promise<void>;
  /** Refuses with `backup_not_found`, `backup_not_completed` and `restore_under_way`. */
  abstract requestRestore(databaseId: string, backupId: string, restoreId: string): Promise<RestoreRecord>;
  /** Newest first. */
  abstract listOf(databaseId: string): Promise<readonly BackupWithRestore[]>;
  /** Unfinished backups of all databases, oldest first. */
  abstract unfinishedBackups(): Promise<readonly BackupRecord[]>;
  abstract unfinishedRestores(): Promise<readonly RestoreRecord[]>;
  /** Undefined unless the backup is completed. */
  abstract digestOf(backupId: string): Promise<string | undefined>;
  abstract completeBackup(backupId: string, stored: StoredBackup): Promise<void>;
  abstract failBackup(backupId: string, error: string): Promise<void>;
  /** The restore is completed without `error`, and has failed with it. */
  abstract finishRestore(restoreId: string, error?: string): Promise<void>;
  /** Deletes the records of all but the newest `kept` backups of each database, except backups that are being restored. */
  abstract deleteOld(kept: number): Promise<void>;
}

/** The operator's settings of backups. */
export abstract class BackupSettings {
  /** Interval of scheduled backups of a database; 0 disables them. */
  abstract readonly everyHours: number;
  /** Number of backups that are kept per database. */
  abstract readonly kept: number;
}
