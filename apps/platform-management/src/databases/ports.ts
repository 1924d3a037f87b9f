import type { DatabaseKind, DatabaseLimits } from '@postern/runtime';
import type { DatabaseStatus } from './database.js';

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
  /** The major version that it is created with; undefined if the runtime chooses. */
  readonly version: string | undefined;
  readonly externalAccess: { readonly enabled: boolean; readonly allowedCidrs: readonly string[] };
  readonly createdAt: Date;
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

/** The data of another database that a new one gets. */
export interface RestoreSource {
  readonly sourceId: string;
  readonly backupId: string;
  readonly targetTime: Date | undefined;
  /** The owner of the data. */
  readonly username: string;
  readonly version: string | undefined;
}

export interface RecoveryRecord {
  /** The new database. */
  readonly databaseId: string;
  readonly sourceId: string;
  readonly backupId: string;
  readonly targetTime: Date | null;
  readonly status: 'restoring' | 'completed' | 'failed';
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}
