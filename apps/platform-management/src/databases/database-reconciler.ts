import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type DatabaseOrder, DatabaseRuntime, DatabaseStorage, RuntimeUnavailable } from '@postern/runtime';
import { DatabaseClock, Every, type TaskRun } from '@postern/service-host';
import { attachmentUser } from '../infrastructure/encryption/attachment-access.js';
import { millisecondsLeft } from '../infrastructure/runtime/milliseconds-left.js';
import { AttachedServices } from './attached-services.js';
import type { DatabaseCommand } from './database.js';
import { DatabaseAttachments } from './database-attachments.js';
import { DatabaseBackupRecords } from './database-backup-records.js';
import { DatabaseOrders } from './database-orders.js';
import { DatabaseRecoveries } from './database-recoveries.js';
import { DatabaseRepository } from './database-repository.js';
import { Databases } from './databases.projection.js';
import type { AttachedService, DatabaseRow, RecoveryRecord } from './ports.js';
import { Supervision } from './supervision.js';

const RECONCILE_EVERY_MS = 1_000;
const CLEAN_UP_EVERY_MS = 10 * 60_000;
/** Time limit from the request; a database that does not run by then has failed. */
const CREATION_DEADLINE_MS = 2 * 60_000;
const CHECK_EVERY_MS = 3_000;
const MEASURE_STORAGE_EVERY_MS = 60_000;
/** A database that has run for this time is restarted without a delay. */
const STABLE_AFTER_MS = 60_000;
/** Maximum number of servers that start concurrently; checks of running servers do not wait for them. */
const CONCURRENT_STARTS = 3;
const NO_RESPONSE = 'the runtime does not respond';

/**
 * Creates requested databases, keeps them running, and removes deleted ones, in the leading replica. The next leader
 * repeats interrupted steps from the events.
 */
@Injectable()
export class DatabaseReconciler {
  readonly #supervised = new Map<string, Supervision>();
  readonly #underWay = new Map<string, Promise<void>>();
  #starting = 0;
  #cleanUpAt = 0;
  readonly #errors: unknown[] = [];
  #pendingRotations: ReadonlySet<string> = new Set();
  #attachments: ReadonlyMap<string, readonly AttachedService[]> = new Map();
  /** Of the databases that are being created. */
  #recoveries: ReadonlyMap<string, RecoveryRecord> = new Map();

  constructor(
    private readonly directory: Databases,
    private readonly databases: DatabaseRepository,
    private readonly runtime: DatabaseRuntime,
    private readonly storage: DatabaseStorage,
    private readonly backups: DatabaseBackupRecords,
    private readonly attached: AttachedServices,
    private readonly clock: DatabaseClock,
    private readonly attachments: DatabaseAttachments,
    private readonly orders: DatabaseOrders,
    private readonly recoveries: DatabaseRecoveries,
  ) {}

  /** Reconciles until leadership is lost, then finishes work in progress. @throws errors from outside the runtime. */
  @Every(2_000, 'reconcile databases', { onOneReplica: true })
  async run({ signal: lost }: Pick<TaskRun, 'signal'>): Promise<void> {
    this.#cleanUpAt = 0;
    try {
      while (!lost.aborted && this.#errors.length === 0) {
        await this.reconcile();
        await pause(RECONCILE_EVERY_MS, undefined, { signal: lost }).catch(() => undefined);
      }
    } finally {
      await this.settled();
    }
    for (const error of this.#errors.splice(0)) throw error;
  }

  /** Starts at most one step per database, without waiting for it. */
  async reconcile(): Promise<void> {
    const rows = await this.directory.all();
    this.#pendingRotations = await this.databases.findPendingRotations();
    this.#attachments = await this.attachments.all();
    this.#recoveries = await this.recoveries.of(rows.filter(({ status }) => status === 'creating').map(({ id }) => id));
    const restoring = new Set((await this.backups.unfinishedRestores()).map(({ resourceId }) => resourceId));
    if (Date.now() >= this.#cleanUpAt) await this.#cleanUp(rows).catch(unlessUnavailable);
    for (const row of rows) {
      // A restore stops and starts the server itself.
      if (this.#underWay.has(row.id) || (restoring.has(row.id) && row.status !== 'deleting')) continue;
      const work = this.#step(row, this.#supervisionOf(row.id))
        .catch(unlessUnavailable)
        .catch((error: unknown) => {
          this.#errors.push(error);
        })
        .finally(() => this.#underWay.delete(row.id));
      this.#underWay.set(row.id, work);
    }
  }

  /** Resolves when no step is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #step(row: DatabaseRow, supervision: Supervision): Promise<void> {
    switch (row.status) {
      case 'creating':
        return this.#create(row, supervision);
      case 'running':
        if (this.#pendingRotations.has(row.id)) return this.#start(row, supervision);
        await this.#connect(row, supervision);
        return this.#check(row, supervision);
      case 'unavailable':
        return this.#start(row, supervision);
      case 'deleting':
        // Failed starts must not delay the removal.
        return this.#remove(row, this.#supervisionOf(`removal of ${row.id}`));
      case 'failed':
        return;
    }
  }

  /** A database that gets the data of another one is never created empty. */
  async #create(row: DatabaseRow, supervision: Supervision): Promise<void> {
    const { status, error } = this.#recoveries.get(row.id) ?? {};
    if (status === 'restoring') return;
    if (status === 'failed') return this.#fail(row, supervision, `could not be restored: ${error}`);
    if (this.#timeLeftMs(row) > 0) return this.#start(row, supervision);
    const cause = supervision.error ?? 'the creation was not started';
    return this.#fail(
      row,
      supervision,
      `could not be created within ${CREATION_DEADLINE_MS / 60_000} minutes: ${cause}`,
    );
  }

  /** Time left before the deadline of the creation of a database, which begins when its data are restored. */
  #timeLeftMs({ id, createdAt }: DatabaseRow): number {
    const since = this.#recoveries.get(id)?.finishedAt ?? createdAt;
    return millisecondsLeft(since, CREATION_DEADLINE_MS, new Date());
  }

  async #start(row: DatabaseRow, supervision: Supervision): Promise<void> {
    if (!supervision.isDue || this.#starting >= CONCURRENT_STARTS) return;
    this.#starting += 1;
    const late = row.status === 'creating' ? AbortSignal.timeout(this.#timeLeftMs(row)) : undefined;
    try {
      const composed = await this.orders.compose(row);
      await supervision.attempt(async () => {
        if (!composed) throw new Error('its credentials do not exist');
        const { order, rotation } = composed;
        await this.#ensure(row, order, supervision, late).catch((error: unknown) => {
          throw error instanceof RuntimeUnavailable || late?.aborted ? new Error(NO_RESPONSE) : error;
        });
        if (!this.#pendingRotations.has(row.id)) return;
        await this.attached.restart(row.id);
        await this.databases.confirmRotation(row.id, rotation);
      });
    } finally {
      this.#starting -= 1;
    }
    const { error } = supervision;
    if (error === undefined) await this.#report(row, { kind: 'report-available', at: now() });
    else if (row.status !== 'creating')
      await this.#report(row, { kind: 'report-unavailable', reason: error, at: now() });
  }

  /** Tells the runtime which web services are attached and which networks are allowed, if that has changed since it was told. */
  async #connect(row: DatabaseRow, supervision: Supervision): Promise<void> {
    if (supervision.connected === this.#clientsOf(row) || Date.now() < supervision.connectAt) return;
    supervision.connectAt = Date.now() + CHECK_EVERY_MS;
    // The check restarts a database that does not run.
    if (!(await this.runtime.isRunning(row.id))) return;
    const composed = await this.orders.compose(row);
    if (composed) await this.#ensure(row, composed.order, supervision).catch(() => undefined);
  }

  async #ensure(row: DatabaseRow, order: DatabaseOrder, supervision: Supervision, late?: AbortSignal): Promise<void> {
    const connected = textOf(
      order.attachmentUsers.map(({ username }) => username),
      row,
    );
    await this.runtime.ensure(order, late);
    supervision.connected = connected;
    const { host } = await this.runtime.reserve(row.id, row.kind);
    if (host !== row.host) await this.databases.move(row.id, host);
  }

  #clientsOf(row: DatabaseRow): string {
    return textOf(
      (this.#attachments.get(row.id) ?? []).map(({ id }) => attachmentUser(id)),
      row,
    );
  }

  async #check(row: DatabaseRow, supervision: Supervision): Promise<void> {
    if (Date.now() < supervision.checkAt) return;
    supervision.checkAt = Date.now() + CHECK_EVERY_MS;
    // A single missing response may be due to load.
    const runs = (await this.runtime.isRunning(row.id)) || (await this.runtime.isRunning(row.id));
    if (!runs) {
      const reason = 'it does not respond; restarting it';
      await this.#report(row, { kind: 'report-unavailable', reason, at: now() });
      return this.#start(row, supervision);
    }
    if (Date.now() > supervision.startedAt + STABLE_AFTER_MS) supervision.resetDelay();
    if (Date.now() >= supervision.measureAt) await this.#measureStorage(row, supervision);
  }

  async #measureStorage(row: DatabaseRow, supervision: Supervision): Promise<void> {
    supervision.measureAt = Date.now() + MEASURE_STORAGE_EVERY_MS;
    // If the server stops at this moment, the next check detects it.
    const state = await this.storage.enforceStorage(row.id).catch(() => undefined);
    if (state) await this.databases.reportStorage(row, state.usedBytes);
    if (state?.readOnly) await this.#report(row, { kind: 'report-read-only', reason: fullReason(row), at: now() });
    else if (state) await this.#report(row, { kind: 'report-writable', at: now() });
  }

  async #remove(row: DatabaseRow, supervision: Supervision): Promise<void> {
    if (!supervision.isDue) return;
    await supervision.attempt(() => this.runtime.remove(row.id));
    if (supervision.error !== undefined) return;
    await this.#report(row, { kind: 'report-deleted', at: now() });
    for (const key of [row.id, `removal of ${row.id}`]) this.#supervised.delete(key);
  }

  async #fail(row: DatabaseRow, supervision: Supervision, reason: string): Promise<void> {
    // While the runtime is unavailable, its data remain; the next cleanup deletes them.
    await supervision.attempt(() => this.runtime.remove(row.id).catch(unlessUnavailable));
    if (supervision.error !== undefined) return;
    await this.#report(row, { kind: 'fail-provisioning', reason, at: now() });
  }

  async #report({ id }: DatabaseRow, command: DatabaseCommand): Promise<void> {
    await this.databases.execute(id, command);
  }

  #supervisionOf(key: string): Supervision {
    const known = this.#supervised.get(key) ?? new Supervision();
    this.#supervised.set(key, known);
    return known;
  }

  /**
   * Removes data and credentials that belong to no database: of interrupted creations, and of databases that are missing
   * after a restore of the platform.
   */
  async #cleanUp(rows: readonly DatabaseRow[]): Promise<void> {
    const known = new Set(rows.filter(({ status }) => status !== 'failed').map(({ id }) => id));
    await this.runtime.retain(known);
    await this.databases.deleteUnusedCredentials(known, new Date(this.clock.now().getTime() - CLEAN_UP_EVERY_MS));
    for (const id of this.#supervised.keys()) if (!known.has(id)) this.#supervised.delete(id);
    this.#cleanUpAt = Date.now() + CLEAN_UP_EVERY_MS;
  }
}

/** The clients that may connect to a database. */
const textOf = (users: readonly string[], { externalAccess }: DatabaseRow): string =>
  JSON.stringify([users, externalAccess]);

/** Ignores `RuntimeUnavailable`: the state of the databases is unknown, and the next reconciliation tries again. */
const unlessUnavailable = (error: unknown): void => {
  if (!(error instanceof RuntimeUnavailable)) throw error;
};

const now = (): string => new Date().toISOString();

const fullReason = ({ kind, limits }: DatabaseRow): string =>
  kind === 'key_value' ? 'its files are full, and it refuses writes; delete keys' : fullRelational(limits);

const fullRelational = (limits: DatabaseRow['limits']): string =>
  `it stores more than the ${limits.storageBytes / 1024 ** 3} GiB of its plan and is read-only; ` +
  'to delete something, SET default_transaction_read_only = off first';
