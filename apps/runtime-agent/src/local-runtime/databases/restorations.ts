import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseOrder } from '@postern/runtime';
import type { BackupFiles } from '../backups/backup-files.js';
import type { DiskImages } from '../sandbox/areas/disk-images.js';
import { type DatabaseFolders, type DatabaseRecord, type Recovery, RestoreFolders } from './database-folder.js';
import { DatabaseVolumes, moveData } from './database-volumes.js';
import { type LocalServer, ServerSupervisor } from './server-supervisor.js';

interface RestorationSettings {
  readonly platformHome: string;
  readonly startTimeoutMs: number;
}

/** What a restore makes the data from. */
interface Restoration {
  readonly order: DatabaseOrder;
  readonly restoreId: string;
  readonly source: { readonly databaseId: string; readonly backupId: string };
  /** Provides the segments of a recovery in the configuration of the trial server; undefined if there is nothing to recover. */
  provide(configuration: string): Promise<Recovery | undefined>;
}

/** A recovery repeats all changes since the backup. */
const RECOVERED_WITHIN_MS = 2 * 3_600_000;

/** A restore that this process executes. */
interface RunningRestore {
  readonly abort: AbortController;
  readonly ended: Promise<unknown>;
}

/**
 * Replaces databases by backups. The data are unpacked beside the database and tested by a trial server
 * that only the platform can reach. Then the record notes the restore: an interrupted restore is discarded before that, and completed after that.
 */
export class Restorations {
  readonly folders: RestoreFolders;
  readonly #trials: ServerSupervisor;
  /** The volumes of the data that will replace a database. */
  readonly #beside: DatabaseVolumes;
  readonly #running = new Map<string, RunningRestore>();

  constructor(
    private readonly databases: DatabaseFolders,
    private readonly supervisor: ServerSupervisor,
    private readonly backups: BackupFiles,
    private readonly volumes: DatabaseVolumes,
    images: () => Promise<DiskImages | undefined>,
    { platformHome, startTimeoutMs }: RestorationSettings,
  ) {
    this.folders = new RestoreFolders(platformHome);
    this.#beside = new DatabaseVolumes(this.folders, images);
    this.#trials = new ServerSupervisor(this.folders, startTimeoutMs, RECOVERED_WITHIN_MS);
  }

  /** Runs all steps of a restore; `cancel` aborts the signal of `restore` and waits until it has ended. */
  async cancellable(
    databaseId: string,
    signal: AbortSignal,
    restore: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const abort = new AbortController();
    const running = restore(AbortSignal.any([signal, abort.signal]));
    this.#running.set(databaseId, { abort, ended: running.catch(() => undefined) });
    await running.finally(() => this.#running.delete(databaseId));
  }

  /** Ends the restore of the database that runs now; without one, does nothing. */
  async cancel(databaseId: string): Promise<void> {
    const running = this.#running.get(databaseId);
    if (!running) return;
    running.abort.abort(new Error('the restore was cancelled'));
    // It may be waiting for its trial server.
    const record = await this.databases.recordOf(databaseId);
    if (record) await this.#trials.kill(this.folders.recordBeside(record));
    await running.ended;
  }

  /** Prepares the data and completes the restore; `server` runs the database, `trial` the data that replace it. */
  async run(
    record: DatabaseRecord,
    { order, restoreId, source, provide }: Restoration,
    [server, trial]: readonly [LocalServer, LocalServer],
    signal: AbortSignal,
  ): Promise<void> {
    await this.abandon(record);
    const beside = this.folders.recordBeside(record);
    const end = () => void this.#trials.kill(beside).catch(() => undefined);
    signal.addEventListener('abort', end, { once: true });
    try {
      const folder = this.folders.pathOf(record.databaseId);
      await mkdir(folder);
      // The database's own user may enter the folder; no other user may read it.
      await chmod(folder, 0o711);
      await this.#beside.open(beside, order.limits);
      const { databaseId, backupId } = source;
      await this.backups.read(databaseId, backupId, copy => trial.unpack(beside, copy, signal), signal);
      const recovery = await provide(this.folders.configurationOf(beside.databaseId));
      signal.throwIfAborted();
      await this.#start(trial, recovery ? { ...beside, recovery } : beside, order);
      await this.#trials.stop(trial, beside);
      signal.throwIfAborted();
    } catch (error) {
      await this.abandon(record);
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
    await this.complete(await this.databases.note(record, { completing: restoreId }), server);
  }

  /** If the database has not changed since the target time, the recovery ends with the last segment. */
  async #start(trial: LocalServer, record: DatabaseRecord, order: DatabaseOrder): Promise<void> {
    await this.#trials.ensure(trial, record, order).catch((error: Error) => {
      if (!record.recovery || !NO_LATER_COMMIT.test(error.message)) throw error;
      return this.#trials.ensure(trial, { ...record, recovery: { targetTime: undefined } }, order);
    });
  }

  /** Completes a restore that the record notes, also if it was interrupted at any step. */
  async complete(record: DatabaseRecord, server: LocalServer): Promise<DatabaseRecord> {
    if (record.completing === undefined) return record;
    await this.supervisor.stop(server, record);
    const { databaseId } = record;
    await this.#beside.close(databaseId);
    await this.volumes.close(databaseId);
    await moveData(this.folders, this.databases, databaseId, join(this.databases.pathOf(databaseId), 'replaced'));
    await this.volumes.mount(databaseId);
    const completed = await this.databases.note(record, { completing: undefined, restored: record.completing });
    await this.abandon(record);
    return completed;
  }

  /** Ends the trial server of a restore that will not be completed, and deletes the leftovers of any restore. */
  async abandon(record: DatabaseRecord): Promise<void> {
    const folder = this.folders.pathOf(record.databaseId);
    if (await exists(folder)) {
      await this.#trials.kill(this.folders.recordBeside(record));
      await this.#beside.close(record.databaseId);
      await rm(folder, { recursive: true, force: true });
    }
    await rm(join(this.databases.pathOf(record.databaseId), 'replaced'), { recursive: true, force: true });
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const NO_LATER_COMMIT = /recovery ended before configured recovery target was reached/;
