import { setTimeout as pause } from 'node:timers/promises';
import { RuntimeUnavailable, type StoredBackup } from '@postern/runtime';
import type { ChangeNotices } from '@postern/service-host';
import { millisecondsLeft } from '../runtime/milliseconds-left.js';
import type { BackupRecords } from './backup-records.js';
import type { BackupRecord, BackupSettings, RestoreRecord } from './ports.js';

const RECONCILE_EVERY_MS = 1_000;
const SCHEDULE_EVERY_MS = 60_000;
/** Time limit from the request; a backup or restore that is not completed by then has failed. */
const DEADLINE_MS = 2 * 3_600_000;
const CONCURRENT_BACKUPS = 1;

/** The steps that are in progress: at most one for each resource. */
class StepsInProgress {
  readonly #steps = new Map<string, { readonly kind: string; readonly done: Promise<void> }>();

  /** Starts a step, unless one of the resource, or `limit` of its kind, are in progress. */
  begin({ resourceId, kind, limit }: StepRequest, step: () => Promise<void>): void {
    if (this.#steps.has(resourceId) || this.count(kind) >= limit) return;
    const done = step().finally(() => this.#steps.delete(resourceId));
    this.#steps.set(resourceId, { kind, done });
  }

  count(kind: string): number {
    return [...this.#steps.values()].filter(each => each.kind === kind).length;
  }

  /** Resolves when nothing is in progress. */
  async settled(): Promise<void> {
    await Promise.all([...this.#steps.values()].map(({ done }) => done));
  }
}

interface StepRequest {
  readonly resourceId: string;
  readonly kind: string;
  readonly limit: number;
}

/**
 * Executes requested and scheduled backups, and requested restores, of one kind in the leading replica. The next leader repeats
 * interrupted steps; the runtime returns the existing result of a step that is completed.
 */
export abstract class BackupWork {
  readonly #steps = new StepsInProgress();
  readonly #errors: unknown[] = [];
  #scheduleAt = 0;

  constructor(
    protected readonly records: BackupRecords,
    private readonly settings: BackupSettings,
    private readonly changes: ChangeNotices,
    /** The path of the resources, whose changes are announced. */
    private readonly path: 'databases' | 'web-services',
  ) {}

  /** Reconciles until leadership is lost, then aborts work in progress. @throws errors from outside the runtime. */
  protected async lead(lost: AbortSignal): Promise<void> {
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

  /** Starts due restores and backups without waiting for them: restores first. */
  async reconcile(lost: AbortSignal): Promise<void> {
    if (Date.now() >= this.#scheduleAt) await this.#schedule();
    for (const restore of await this.records.unfinishedRestores())
      this.begin({ resourceId: restore.resourceId, kind: 'restore', limit: Infinity }, () =>
        this.#restore(restore, lost),
      );
    await this.beginOthers(lost);
    for (const backup of await this.records.unfinishedBackups()) {
      if (this.#steps.count('backup') >= CONCURRENT_BACKUPS) return;
      if (timeLeftMs(backup.createdAt) > 0 && !(await this.canBackUp(backup.resourceId))) continue;
      this.begin({ resourceId: backup.resourceId, kind: 'backup', limit: CONCURRENT_BACKUPS }, () =>
        this.#backUp(backup, lost),
      );
    }
  }

  /** Resolves when nothing is in progress. */
  settled(): Promise<void> {
    return this.#steps.settled();
  }

  /** Whether the resource can be backed up now; it is checked again later otherwise. */
  protected async canBackUp(_resourceId: string): Promise<boolean> {
    return true;
  }

  /** Why a backup was not started in time. */
  protected abstract readonly notStarted: string;

  protected abstract backUp(resourceId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup>;

  /** Deletes the other backups of the resource. */
  protected abstract retain(resourceId: string, backupIds: ReadonlySet<string>): Promise<void>;

  /** Prepares a restore. Returns what carries it out, why it is impossible, or undefined if the resource is gone. */
  protected abstract prepareRestore(
    restore: RestoreRecord,
    digest: string,
  ): Promise<((signal: AbortSignal) => Promise<void>) | string | undefined>;

  /** Begins steps of another kind, before the backups. */
  protected async beginOthers(_lost: AbortSignal): Promise<void> {}

  /** Whether the runtime can make backups. */
  protected async maySchedule(): Promise<boolean> {
    return true;
  }

  protected begin(request: StepRequest, step: () => Promise<void>): void {
    this.#steps.begin(request, () =>
      step()
        .catch((error: unknown) => {
          // The next reconciliation tries again.
          if (!(error instanceof RuntimeUnavailable)) this.#errors.push(error);
        })
        .finally(() => this.changes.add([`${this.path}/${request.resourceId}`])),
    );
  }

  /**
   * Returns the result of `work` or its error, also if the deadline passes; undefined if leadership was lost, so that the next leader
   * repeats it.
   */
  protected async attempt<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    requestedAt: Date,
    lost: AbortSignal,
  ): Promise<Result | Error | undefined> {
    const leftMs = timeLeftMs(requestedAt);
    if (leftMs === 0) return new Error('the restore was not started within 2 hours');
    const late = AbortSignal.timeout(leftMs);
    try {
      return await work(AbortSignal.any([lost, late]));
    } catch (error) {
      if (lost.aborted) return undefined;
      if (late.aborted) return new Error('it was not completed within 2 hours of the request');
      if (error instanceof RuntimeUnavailable) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #schedule(): Promise<void> {
    this.#scheduleAt = Date.now() + SCHEDULE_EVERY_MS;
    const { everyHours } = this.settings;
    if (everyHours > 0 && (await this.maySchedule())) await this.records.requestDue(everyHours);
  }

  async #backUp({ id, resourceId, createdAt }: BackupRecord, lost: AbortSignal): Promise<void> {
    if (timeLeftMs(createdAt) === 0) return this.records.failBackup(id, this.notStarted);
    const outcome = await this.attempt(signal => this.backUp(resourceId, id, signal), createdAt, lost);
    if (outcome === undefined) return;
    if (outcome instanceof Error) await this.records.failBackup(id, outcome.message);
    else await this.records.completeBackup(id, outcome);
    await this.records.deleteOld(this.settings.kept);
    const kept = await this.records.listOf(resourceId);
    await this.retain(resourceId, new Set(kept.map(backup => backup.id)));
  }

  async #restore(restore: RestoreRecord, lost: AbortSignal): Promise<void> {
    const { id, backupId, createdAt } = restore;
    const digest = await this.records.digestOf(backupId);
    const work = digest === undefined ? 'the backup is gone' : await this.prepareRestore(restore, digest);
    if (work === undefined) return;
    if (typeof work === 'string') return this.records.finishRestore(id, work);
    const outcome = await this.attempt(
      async signal => {
        await work(signal);
        return 'completed' as const;
      },
      createdAt,
      lost,
    );
    if (outcome === undefined) return;
    await this.records.finishRestore(id, outcome instanceof Error ? outcome.message : undefined);
  }
}

/** Time left before the deadline of a backup or restore. */
const timeLeftMs = (requestedAt: Date): number => millisecondsLeft(requestedAt, DEADLINE_MS, new Date());
