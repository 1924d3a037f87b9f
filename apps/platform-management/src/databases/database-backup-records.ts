import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import type { StoredBackup } from '@postern/runtime';
import { Database } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { type DatabaseBackup, type DatabaseRestore, PrismaClient } from '../generated/prisma/client.js';
import { isDeleted } from '../infrastructure/postgres/deleted-streams.js';
import { databaseNotFound, databaseStream } from './database.js';
import {
  DELETE_OLD_BACKUPS,
  FIND_DUE_DATABASES,
  FINISH_BACKUP,
  FINISH_RESTORE,
  INSERT_BACKUP,
  INSERT_RESTORE,
} from './database-backups.sql.js';
import { type BackupRecord, type BackupWithRestore, type RestoreRecord } from './ports.js';

/** Stores requests and results as rows, so that any replica can continue the work of another one. */
@Injectable()
export class DatabaseBackupRecords {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  /** Refuses with `database_not_found`, and with `backup_under_way` while a backup of the database is unfinished. */
  async request(databaseId: string, backupId: string, scheduled = false): Promise<BackupRecord> {
    await this.#insert(databaseId, INSERT_BACKUP, [backupId, databaseId, scheduled], () => {
      throw new Refusal('backup_under_way', 'a backup of this database is in progress; wait until it completes');
    });
    return backupOf(await this.prisma.databaseBackup.findUniqueOrThrow({ where: { id: backupId } }));
  }

  /** Requests scheduled backups of all databases whose last scheduled backup is `everyHours` old. */
  async requestDue(everyHours: number): Promise<void> {
    const { rows } = await this.database.pool.query<{ id: string }>(FIND_DUE_DATABASES, [everyHours]);
    for (const { id } of rows)
      await this.request(id, uuidv7(), true).catch(error => {
        // A backup was requested or the database was deleted in the meantime.
        if (!(error instanceof Refusal)) throw error;
      });
  }

  /** Refuses with `backup_not_found`, `backup_not_completed` and `restore_under_way`. */
  async requestRestore(databaseId: string, backupId: string, restoreId: string): Promise<RestoreRecord> {
    await this.completed(databaseId, backupId);
    await this.#insert(databaseId, INSERT_RESTORE, [restoreId, databaseId, backupId], () => {
      throw new Refusal('restore_under_way', 'this database is being restored; wait until the restore completes');
    });
    return restoreOf(await this.prisma.databaseRestore.findUniqueOrThrow({ where: { id: restoreId } }));
  }

  /** Refuses with `backup_not_found` and `backup_not_completed`. */
  async completed(databaseId: string, backupId: string): Promise<BackupRecord> {
    const backup = await this.prisma.databaseBackup.findUnique({ where: { id: backupId } });
    if (backup?.databaseId !== databaseId) throw new Refusal('backup_not_found', 'there is no such backup');
    if (backup.status !== 'completed')
      throw new Refusal('backup_not_completed', 'only a backup whose status is completed can be restored');
    return backupOf(backup);
  }

  /** Newest first. */
  async listOf(databaseId: string): Promise<readonly BackupWithRestore[]> {
    const where = { databaseId };
    const [backups, restores] = await Promise.all([
      this.prisma.databaseBackup.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] }),
      this.prisma.databaseRestore.findMany({ where, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
    ]);
    const last = new Map(restores.map(restore => [restore.backupId, restoreOf(restore)]));
    return backups.map(backup => ({ ...backupOf(backup), lastRestore: last.get(backup.id) }));
  }

  /** Unfinished backups of all databases, oldest first. */
  async unfinishedBackups(): Promise<readonly BackupRecord[]> {
    const orderBy = { createdAt: 'asc' } as const;
    return (await this.prisma.databaseBackup.findMany({ where: { status: 'creating' }, orderBy })).map(backupOf);
  }

  async unfinishedRestores(): Promise<readonly RestoreRecord[]> {
    const orderBy = { createdAt: 'asc' } as const;
    return (await this.prisma.databaseRestore.findMany({ where: { status: 'restoring' }, orderBy })).map(restoreOf);
  }

  /** Undefined unless the backup is completed. */
  async digestOf(backupId: string): Promise<string | undefined> {
    const backup = await this.prisma.databaseBackup.findUnique({ where: { id: backupId } });
    return backup?.digest ?? undefined;
  }

  async completeBackup(backupId: string, { sizeBytes, digest }: StoredBackup): Promise<void> {
    await this.database.pool.query(FINISH_BACKUP, [backupId, 'completed', sizeBytes, digest, null]);
  }

  async failBackup(backupId: string, error: string): Promise<void> {
    await this.database.pool.query(FINISH_BACKUP, [backupId, 'failed', null, null, error]);
  }

  /** The restore is completed without `error`, and has failed with it. */
  async finishRestore(restoreId: string, error?: string): Promise<void> {
    await this.database.pool.query(FINISH_RESTORE, [
      restoreId,
      error === undefined ? 'completed' : 'failed',
      error ?? null,
    ]);
  }

  /** Deletes the records of all but the newest `kept` backups of each database, except backups that are being restored. */
  async deleteOld(kept: number): Promise<void> {
    await this.database.pool.query(DELETE_OLD_BACKUPS, [kept]);
  }

  async #insert(databaseId: string, statement: string, values: unknown[], refuse: () => never): Promise<void> {
    const stream = databaseStream(databaseId);
    await inTransaction(this.database.pool, async client => {
      await lockStreams(client, [stream]);
      if (await isDeleted(client, stream)) throw databaseNotFound();
      if ((await client.query(statement, values)).rowCount === 0) refuse();
    });
  }
}

const backupOf = (row: DatabaseBackup): BackupRecord => ({
  ...row,
  status: row.status as BackupRecord['status'],
  sizeBytes: row.sizeBytes === null ? null : Number(row.sizeBytes),
});

const restoreOf = (row: DatabaseRestore): RestoreRecord => ({
  ...row,
  status: row.status as RestoreRecord['status'],
});
