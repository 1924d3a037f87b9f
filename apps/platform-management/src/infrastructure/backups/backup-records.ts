import { Refusal } from '@postern/contracts/refusal';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import type { StoredBackup } from '@postern/runtime';
import { Database } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { type Backup, PrismaClient, type Restore } from '../../generated/prisma/client.js';
import { DELETE_OLD_BACKUPS, FINISH_BACKUP, FINISH_RESTORE, INSERT_BACKUP, INSERT_RESTORE } from './backups.sql.js';
import type { BackupKind, BackupRecord, BackupWithRestore, RestoreRecord } from './ports.js';

/** What the records of one kind are about. */
export interface BackedUp {
  readonly kind: BackupKind;
  /** The stream of a resource, whose lock a deletion takes as well. */
  readonly streamOf: (resourceId: string) => string;
  /** Exact while the stream is locked. */
  readonly isDeleted: (client: pg.PoolClient, streamId: string) => Promise<boolean>;
  readonly notFound: () => Refusal;
  /** Resources whose scheduled backup is due; `$1` is the interval in hours. */
  readonly findDue: string;
}

/** Stores requests and results of one kind as rows, so that any replica can continue the work of another one. */
export abstract class BackupRecords {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly of: BackedUp,
  ) {}

  /** Refuses if the resource is deleted, and with `backup_under_way` while a backup of it is unfinished. */
  async request(resourceId: string, backupId: string, scheduled = false): Promise<BackupRecord> {
    const { kind } = this.of;
    await this.#insert(resourceId, INSERT_BACKUP, [backupId, kind, resourceId, scheduled], () => {
      throw new Refusal('backup_under_way', `a backup of this ${kind} is in progress; wait until it completes`);
    });
    return backupOf(await this.prisma.backup.findUniqueOrThrow({ where: { id: backupId } }));
  }

  /** Requests scheduled backups of all resources whose last scheduled backup is `everyHours` old. */
  async requestDue(everyHours: number): Promise<void> {
    const { rows } = await this.database.pool.query<{ id: string }>(this.of.findDue, [everyHours]);
    for (const { id } of rows)
      await this.request(id, uuidv7(), true).catch(error => {
        // A backup was requested or the resource was deleted in the meantime.
        if (!(error instanceof Refusal)) throw error;
      });
  }

  /** Refuses with `backup_not_found`, `backup_not_completed` and `restore_under_way`. */
  async requestRestore(resourceId: string, backupId: string, restoreId: string): Promise<RestoreRecord> {
    const { kind } = this.of;
    await this.completed(resourceId, backupId);
    await this.#insert(resourceId, INSERT_RESTORE, [restoreId, kind, resourceId, backupId], () => {
      throw new Refusal('restore_under_way', `this ${kind} is being restored; wait until the restore completes`);
    });
    return restoreOf(await this.prisma.restore.findUniqueOrThrow({ where: { id: restoreId } }));
  }

  /** Refuses with `backup_not_found` and `backup_not_completed`. */
  async completed(resourceId: string, backupId: string): Promise<BackupRecord> {
    const backup = await this.prisma.backup.findUnique({ where: { id: backupId } });
    if (backup?.resourceId !== resourceId) throw new Refusal('backup_not_found', 'there is no such backup');
    if (backup.status !== 'completed')
      throw new Refusal('backup_not_completed', 'only a backup whose status is completed can be restored');
    return backupOf(backup);
  }

  /** Newest first. */
  async listOf(resourceId: string): Promise<readonly BackupWithRestore[]> {
    const where = { resourceId };
    const [backups, restores] = await Promise.all([
      this.prisma.backup.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] }),
      this.prisma.restore.findMany({ where, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
    ]);
    const last = new Map(restores.map(restore => [restore.backupId, restoreOf(restore)]));
    return backups.map(backup => ({ ...backupOf(backup), lastRestore: last.get(backup.id) }));
  }

  /** Unfinished backups of this kind, oldest first. */
  async unfinishedBackups(): Promise<readonly BackupRecord[]> {
    const where = { kind: this.of.kind, status: 'creating' };
    return (await this.prisma.backup.findMany({ where, orderBy: { createdAt: 'asc' } })).map(backupOf);
  }

  async unfinishedRestores(): Promise<readonly RestoreRecord[]> {
    const where = { kind: this.of.kind, status: 'restoring' };
    return (await this.prisma.restore.findMany({ where, orderBy: { createdAt: 'asc' } })).map(restoreOf);
  }

  /** Undefined unless the backup is completed. */
  async digestOf(backupId: string): Promise<string | undefined> {
    const backup = await this.prisma.backup.findUnique({ where: { id: backupId } });
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

  /** Deletes the records of all but the newest `kept` backups of each resource, except backups that are being restored. */
  async deleteOld(kept: number): Promise<void> {
    await this.database.pool.query(DELETE_OLD_BACKUPS, [kept]);
  }

  async #insert(resourceId: string, statement: string, values: unknown[], refuse: () => never): Promise<void> {
    const stream = this.of.streamOf(resourceId);
    await inTransaction(this.database.pool, async client => {
      await lockStreams(client, [stream]);
      if (await this.of.isDeleted(client, stream)) throw this.of.notFound();
      if ((await client.query(statement, values)).rowCount === 0) refuse();
    });
  }
}

const backupOf = (row: Backup): BackupRecord => ({
  ...row,
  status: row.status as BackupRecord['status'],
  sizeBytes: row.sizeBytes === null ? null : Number(row.sizeBytes),
});

const restoreOf = (row: Restore): RestoreRecord => ({ ...row, status: row.status as RestoreRecord['status'] });
