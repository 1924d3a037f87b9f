import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DatabaseBackups, RuntimeUnavailable } from '@postern/runtime';
import { ChangeNotices, Every, type TaskRun } from '@postern/service-host';
import { millisecondsLeft } from '../infrastructure/runtime/milliseconds-left.js';
import { DatabaseBackupRecords } from './database-backup-records.js';
import { DatabaseOrders } from './database-orders.js';
import { DatabaseRecoveries } from './database-recoveries.js';
import { Databases } from './databases.projection.js';
import {
  type BackupRecord,
  BackupSettings,
  type DatabaseRow,
  type RecoveryRecord,
  type RestoreRecord,
} from './ports.js';

const RECONCILE_EVERY_MS = 1_000;
const SCHEDULE_EVERY_MS = 60_000;
/** Time limit from the request; a backup or restore that is not completed by then has failed. */
const DEADLINE_MS = 2 * 3_600_000;
const CONCURRENT_BACKUPS = 1;
/** Each needs the memory and the disk of a database. */
const CONCURRENT_RECOVERIES = 2;

/**
 * Executes requested and scheduled backups, and requested restores, in the leading replica. The next leader repeats
 * interrupted steps; the runtime returns the existing result of a step that is completed.
 */
@Injectable()
export class BackupReconciler {
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #errors: unknown[] = [];
  #backups = 0;
  #recoveries = 0;
  #scheduleAt = 0;

  constructor(
    private readonly records: DatabaseBackupRecords,
    private readonly recoveries: DatabaseRecoveries,
    private readonly directory: Databases,
    private readonly orders: DatabaseOrders,
    private readonly runtime: DatabaseBackups,
    private readonly settings: BackupSettings,
    private readonly changes: ChangeNotices,
  ) {}

  /** Reconciles until leadership is lost, then aborts work in progress. @throws errors from outside the runtime. */
  @Every(2_000, 'reconcile backups of databases', { onOneReplica: true })
  async run({ signal: lost }: Pick<TaskRun, 'signal'>): Promise<void> {
    this.#scheduleAt = 0;
    try {
      while (!lost.aborted && this.#errors.length === 0) {
        await this.reconcile(lost);
        await pause(RECONCILE_EVERY_MS, undefined, { signal: lost }).catch(() => undefined);
      }
    } finally {
      await this.settled();
    }
    for (const error of this.#errors.splice(0)) throw error;
  }

  /** Starts due restores and backups without waiting for them: restores first, one operation at a time per database. */
  async reconcile(lost: AbortSignal): Promise<void> {
    if (Date.now() >= this.#scheduleAt) await this.#schedule();
    for (const restore of await this.records.unfinishedRestores())
      this.#begin(restore.databaseId, () => this.#restore(restore, lost));
    for (const recovery of await this.recoveries.unfinished())
      if (this.#recoveries < CONCURRENT_RECOVERIES)
        this.#begin(recovery.databaseId, () => this.#recover(recovery, lost));
    for (const backup of await this.records.unfinishedBackups()) {
      if (this.#backups >= CONCURRENT_BACKUPS) return;
      this.#begin(backup.databaseId, () => this.#backUp(backup, lost));
    }
  }

  /** Resolves when nothing is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  #begin(databaseId: string, work: () => Promise<void>): void {
    if (this.#underWay.has(databaseId)) return;
    const done = work()
      .catch((error: unknown) => {
        // The next reconciliation tries again.
        if (!(error instanceof RuntimeUnavailable)) this.#errors.push(error);
      })
      .finally(() => {
        this.#underWay.delete(databaseId);
        this.changes.add([`databases/${databaseId}`]);
      });
    this.#underWay.set(databaseId, done);
  }

  async #schedule(): Promise<void> {
    this.#scheduleAt = Date.now() + SCHEDULE_EVERY_MS;
    if (this.settings.everyHours > 0) await this.records.requestDue(this.settings.everyHours);
  }

  async #backUp({ id, databaseId, createdAt }: BackupRecord, lost: AbortSignal): Promise<void> {
    if (timeLeftMs(createdAt) === 0)
      return this.records.failBackup(id, 'the database was not running within 2 hours of the request');
    if ((await this.directory.find(databaseId))?.status !== 'running') return;
    this.#backups += 1;
    try {
      const outcome = await this.#attempt(signal => this.runtime.backUp(databaseId, id, signal), createdAt, lost);
      if (outcome === undefined) return;
      if (outcome instanceof Error) await this.records.failBackup(id, outcome.message);
      else await this.records.completeBackup(id, outcome);
      await this.records.deleteOld(this.settings.kept);
      const kept = await this.records.listOf(databaseId);
      await this.runtime.retainBackups(databaseId, new Set(kept.map(backup => backup.id)));
    } finally {
      this.#backups -= 1;
    }
  }

  async #restore({ id, databaseId, backupId, createdAt }: RestoreRecord, lost: AbortSignal): Promise<void> {
    const [row, digest] = await Promise.all([this.directory.find(databaseId), this.records.digestOf(backupId)]);
    if (!row || row.status === 'deleting') return;
    const composed = await this.orders.compose(row);
    if (!composed || digest === undefined) return this.records.finishRestore(id, 'the backup is gone');
    if (timeLeftMs(createdAt) === 0)
      return this.records.finishRestore(id, 'the restore was not started within 2 hours');
    const { order } = composed;
    const restore = async (signal: AbortSignal) => {
      await this.runtime.restore({ order, restoreId: id, backupId, digest }, signal);
      return 'completed' as const;
    };
    const outcome = await this.#attempt(restore, createdAt, lost);
    if (outcome === undefined) return;
    await this.records.finishRestore(id, outcome instanceof Error ? outcome.message : undefined);
  }

  /** Creates a database with the data of another one. */
  async #recover(recovery: RecoveryRecord, lost: AbortSignal): Promise<void> {
    this.#recoveries += 1;
    try {
      const row = await this.directory.find(recovery.databaseId);
      // A row of a deleted database goes with it.
      if (row?.status !== 'creating') return;
      const error = await this.#recoverInto(row, recovery, lost);
      if (!lost.aborted) await this.recoveries.finish(recovery.databaseId, error);
    } finally {
      this.#recoveries -= 1;
    }
  }

  /** Returns why it failed. */
  async #recoverInto(row: DatabaseRow, recovery: RecoveryRecord, lost: AbortSignal): Promise<string | undefined> {
    const { databaseId, sourceId, backupId, targetTime, createdAt } = recovery;
    const [composed, digest] = await Promise.all([this.orders.compose(row), this.records.digestOf(backupId)]);
    if (!composed || digest === undefined) return 'the backup is gone';
    if (timeLeftMs(createdAt) === 0) return 'the restore was not started within 2 hours';
    const { order } = composed;
    const source = { restoreId: databaseId, backupId, digest, sourceId, targetTime: targetTime?.toISOString() };
    const work = (signal: AbortSignal) => this.runtime.restore({ order, ...source }, signal);
    const outcome: unknown = await this.#attempt<unknown>(work, createdAt, lost);
    return outcome instanceof Error ? outcome.message : undefined;
  }

  /** Returns the result or the error of `work`; undefined if leadership was lost, so that the next leader repeats it. */
  async #attempt<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    requestedAt: Date,
    lost: AbortSignal,
  ): Promise<Result | Error | undefined> {
    const late = AbortSignal.timeout(timeLeftMs(requestedAt));
    try {
      return await work(AbortSignal.any([lost, late]));
    } catch (error) {
      if (lost.aborted) return undefined;
      if (late.aborted) return new Error('it was not completed within 2 hours of the request');
      if (error instanceof RuntimeUnavailable) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

/** Time left before the deadline of a backup or restore. */
const timeLeftMs = (requestedAt: Date): number => millisecondsLeft(requestedAt, DEADLINE_MS, new Date());
