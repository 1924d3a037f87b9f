import { Injectable } from '@nestjs/common';
import type { CreationLimit } from '@postern/event-sourcing';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { Database, KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { DELETE_BACKUPS_OF } from '../infrastructure/backups/backups.sql.js';
import {
  type DatabaseCommand,
  type DatabaseCreation,
  type DatabaseEvent,
  database,
  databaseNotFound,
  databaseStream,
} from './database.js';
import { DELETE_ATTACHMENTS_OF } from './database-attachments.sql.js';
import { DELETE_RECOVERY, INSERT_RECOVERY } from './database-recoveries.sql.js';
import { databaseStorage, databaseStorageStream } from './database-storage.js';
import {
  DELETE_CREDENTIALS,
  DELETE_OLD_CREATIONS,
  INSERT_CREATION,
  INSERT_CREDENTIALS,
  MOVE_DATABASE,
  ROTATE_CREDENTIALS,
} from './databases.sql.js';
import {
  credentialsRow,
  type DatabaseCredentials,
  type DatabaseRow,
  type RestoreSource,
  type RotatedCredentials,
} from './ports.js';

type StorageSubject = Pick<DatabaseRow, 'id' | 'workspaceId' | 'limits'>;

/** After these events the credentials are no longer needed. */
const FINAL_EVENTS: ReadonlySet<DatabaseEvent['type']> = new Set([
  'platform-management.database-deleted.v1',
  'platform-management.database-provisioning-failed.v1',
]);

/** Writes events and credentials in one transaction. Encrypted passwords are bound to their rows. */
@Injectable()
export class DatabaseRepository {
  constructor(
    private readonly transactions: CommandTransactions,
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
  ) {}

  /** Refuses with `quota_reached` beyond the limit. */
  async create(
    created: DatabaseCreation,
    { username, password }: DatabaseCredentials,
    limit: CreationLimit,
    source?: RestoreSource,
  ): Promise<void> {
    const { database_id, workspace_id } = created;
    const sealed = this.keys.seal(password, credentialsRow(database_id));
    await this.transactions.execute({
      decider: database,
      streamId: databaseStream(database_id),
      command: { kind: 'create', as: created },
      limit,
      write: async client => {
        if (source) {
          const { sourceId, backupId, targetTime } = source;
          await client.query(INSERT_RECOVERY, [database_id, sourceId, backupId, targetTime ?? null]);
        }
        await client.query(INSERT_CREDENTIALS, [database_id, username, sealed]);
        await client.query(DELETE_OLD_CREATIONS, [workspace_id]);
        await client.query(INSERT_CREATION, [database_id, workspace_id]);
      },
    });
  }

  /** Also deletes the credentials when the database is deleted or its provisioning fails. */
  async execute(databaseId: string, command: DatabaseCommand): Promise<void> {
    await this.#execute(databaseId, command, async (client, events) => {
      if (events.some(({ type }) => type === 'platform-management.database-deletion-requested.v1')) {
        await client.query(DELETE_ATTACHMENTS_OF, [databaseId]);
        await client.query(DELETE_BACKUPS_OF, [databaseId]);
      }
      if (!events.some(({ type }) => FINAL_EVENTS.has(type))) return;
      await client.query(DELETE_CREDENTIALS, [databaseId]);
      await client.query(DELETE_RECOVERY, [databaseId]);
    });
  }

  async credentialsOf(databaseId: string): Promise<RotatedCredentials | undefined> {
    const row = await this.prisma.databaseCredential.findUnique({ where: { databaseId } });
    if (!row) return undefined;
    const { username, sealedPassword, rotation } = row;
    return { username, password: this.keys.open(sealedPassword, credentialsRow(databaseId)), rotation };
  }

  /** Replaces the password. Refuses with `database_not_found`. */
  async rotate(databaseId: string, password: string): Promise<RotatedCredentials> {
    const sealed = this.keys.seal(password, credentialsRow(databaseId));
    const { rows } = await this.database.pool.query<{ username: string; rotation: number }>(ROTATE_CREDENTIALS, [
      databaseId,
      sealed,
    ]);
    if (!rows[0]) throw databaseNotFound();
    return { ...rows[0], password };
  }

  /** Records the host at which the database is reached now; the next rotation tells attached web services. */
  async move(databaseId: string, host: string): Promise<void> {
    await this.database.pool.query(MOVE_DATABASE, [databaseId, host]);
  }

  /** Records that the database accepts the password of this rotation. */
  async confirmRotation(databaseId: string, rotation: number): Promise<void> {
    await this.prisma.databaseCredential.updateMany({
      where: { databaseId, appliedRotation: { lt: rotation } },
      data: { appliedRotation: rotation },
    });
  }

  /** Databases whose newest password is not confirmed. */
  async findPendingRotations(): Promise<ReadonlySet<string>> {
    const { rotation } = this.prisma.databaseCredential.fields;
    const where = { appliedRotation: { lt: rotation } };
    const rows = await this.prisma.databaseCredential.findMany({ where, select: { databaseId: true } });
    return new Set(rows.map(({ databaseId }) => databaseId));
  }

  /** Records that a database is nearly full or has space again; repeated reports have no effect. */
  async reportStorage({ id, workspaceId, limits }: StorageSubject, usedBytes: number): Promise<void> {
    const at = new Date().toISOString();
    const { storageBytes: limitBytes } = limits;
    await this.transactions.execute({
      decider: databaseStorage,
      streamId: databaseStorageStream(id),
      command: { kind: 'report-storage', databaseId: id, workspaceId, usedBytes, limitBytes, at },
    });
  }

  /** Deletes credentials that were created before `before` for databases that are not in `databaseIds`. */
  async deleteUnusedCredentials(databaseIds: ReadonlySet<string>, before: Date): Promise<void> {
    await this.prisma.databaseCredential.deleteMany({
      where: { createdAt: { lt: before }, databaseId: { notIn: [...databaseIds] } },
    });
  }

  async #execute(
    databaseId: string,
    command: DatabaseCommand,
    write: (client: pg.ClientBase, events: readonly DatabaseEvent[]) => Promise<unknown>,
  ): Promise<void> {
    await this.transactions.execute({ decider: database, streamId: databaseStream(databaseId), command, write });
  }
}
