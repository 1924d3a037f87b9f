import { Injectable } from '@nestjs/common';
import { DatabaseBackups, type StoredBackup } from '@postern/runtime';
import { ChangeNotices, Every, type TaskRun } from '@postern/service-host';
import { BackupWork } from '../infrastructure/backups/backup-work.js';
import { BackupSettings, type RestoreRecord } from '../infrastructure/backups/ports.js';
import { DatabaseBackupRecords } from './database-backup-records.js';
import { DatabaseOrders } from './database-orders.js';
import { DatabaseRecoveries } from './database-recoveries.js';
import { Databases } from './databases.projection.js';
import type { RecoveryRecord } from './ports.js';

/** Each needs the memory and the disk of a database. */
const CONCURRENT_RECOVERIES = 2;

/** Backs up and restores databases, and creates databases with the data of another one. */
@Injectable()
export class BackupReconciler extends BackupWork {
  protected readonly notStarted = 'the database was not running within 2 hours of the request';

  constructor(
    records: DatabaseBackupRecords,
    private readonly recoveries: DatabaseRecoveries,
    private readonly directory: Databases,
    private readonly orders: DatabaseOrders,
    private readonly runtime: DatabaseBackups,
    settings: BackupSettings,
    changes: ChangeNotices,
  ) {
    super(records, settings, changes, 'databases');
  }

  @Every(2_000, 'reconcile backups of databases', { onOneReplica: true })
  run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    return this.lead(signal);
  }

  protected override async canBackUp(databaseId: string): Promise<boolean> {
    return (await this.directory.find(databaseId))?.status === 'running';
  }

  protected backUp(databaseId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup> {
    return this.runtime.backUp(databaseId, backupId, signal);
  }

  protected retain(databaseId: string, backupIds: ReadonlySet<string>): Promise<void> {
    return this.runtime.retainBackups(databaseId, backupIds);
  }

  protected async prepareRestore({ id, resourceId, backupId }: RestoreRecord, digest: string) {
    const row = await this.directory.find(resourceId);
    if (!row || row.status === 'deleting') return undefined;
    const composed = await this.orders.compose(row);
    if (!composed) return 'the backup is gone';
    const { order } = composed;
    return (signal: AbortSignal) => this.runtime.restore({ order, restoreId: id, backupId, digest }, signal);
  }

  protected override async beginOthers(lost: AbortSignal): Promise<void> {
    for (const recovery of await this.recoveries.unfinished())
      this.begin({ resourceId: recovery.databaseId, kind: 'recovery', limit: CONCURRENT_RECOVERIES }, () =>
        this.#recover(recovery, lost),
      );
  }

  /** Creates a database with the data of another one. */
  async #recover(recovery: RecoveryRecord, lost: AbortSignal): Promise<void> {
    const { databaseId, sourceId, backupId, targetTime, createdAt } = recovery;
    const row = await this.directory.find(databaseId);
    // A row of a deleted database goes with it.
    if (row?.status !== 'creating') return;
    const [composed, digest] = await Promise.all([this.orders.compose(row), this.records.digestOf(backupId)]);
    if (!composed || digest === undefined) return this.recoveries.finish(databaseId, 'the backup is gone');
    const { order } = composed;
    const source = { restoreId: databaseId, backupId, digest, sourceId, targetTime: targetTime?.toISOString() };
    const work = (signal: AbortSignal) => this.runtime.restore({ order, ...source }, signal);
    const outcome: unknown = await this.attempt<unknown>(work, createdAt, lost);
    if (!lost.aborted) await this.recoveries.finish(databaseId, outcome instanceof Error ? outcome.message : undefined);
  }
}
