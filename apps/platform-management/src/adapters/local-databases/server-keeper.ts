import { readFile, stat, truncate } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseOrder } from '../../ports/database-runtime.js';
import type { DatabaseFolders, DatabaseRecord } from './database-folder.js';
import { endProcesses, processesOf } from './processes.js';
import { ResourceBounds } from './resource-bounds.js';

/** What differs between the servers of the two kinds of databases. */
export interface LocalServer {
  /** Asks the server to finish in order. */
  readonly stopSignal: NodeJS.Signals;
  /** Makes its data folder, completely or not at all. */
  prepare(record: DatabaseRecord): Promise<void>;
  /** Starts its process; nothing of the database runs when this is called. */
  launch(record: DatabaseRecord, order: DatabaseOrder): Promise<void>;
  answers(record: DatabaseRecord): Promise<boolean>;
  /** Brings credentials and database inside it to what was ordered. */
  settle(record: DatabaseRecord, order: DatabaseOrder): Promise<void>;
}

const STARTS_WITHIN_MS = 45_000;
/** A server that is there and says nothing for so long is started anew. */
const SILENT_MS = 15_000;
const STOP_GRACE_MS = 10_000;

/** Brings servers up and down, whatever state a kill left them in. */
export class ServerKeeper {
  readonly #bounds = new ResourceBounds();

  constructor(private readonly folders: DatabaseFolders) {}

  async ensure(server: LocalServer, record: DatabaseRecord, order: DatabaseOrder): Promise<void> {
    if (!(await this.#answersWithin(server, record, SILENT_MS))) {
      await this.stop(server, record);
      await server.prepare(record);
      await server.launch(record, order);
      // Before the server has any children, and again for those that were faster.
      await this.#hold(record, order);
      if (!(await this.#answersWithin(server, record, STARTS_WITHIN_MS))) {
        const words = await this.#lastWords(record);
        await endProcesses(await this.folders.marksOf(record), 'SIGKILL', 0);
        throw new Error(`the server did not start: ${words}`);
      }
    }
    await this.#hold(record, order);
    await server.settle(record, order);
  }

  async stop(server: LocalServer, record: DatabaseRecord): Promise<void> {
    await endProcesses(await this.folders.marksOf(record), server.stopSignal, STOP_GRACE_MS);
    await this.#bounds.release(record.databaseId);
  }

  /** Data that are to be deleted need not be flushed. */
  async kill(record: DatabaseRecord): Promise<void> {
    await endProcesses(await this.folders.marksOf(record), 'SIGKILL', 0);
    await this.#bounds.release(record.databaseId);
  }

  /** Keeps the log that a server writes in bounds; it appends, so it goes on from the beginning. */
  async trimLog(databaseId: string, bytes: number): Promise<void> {
    const log = this.folders.logOf(databaseId);
    const size = await stat(log).then(
      ({ size }) => size,
      () => 0,
    );
    if (size > bytes) await truncate(log);
  }

  async #hold(record: DatabaseRecord, { limits }: DatabaseOrder): Promise<void> {
    const pids = await processesOf(await this.folders.marksOf(record));
    await this.#bounds.hold(record.databaseId, pids, limits);
  }

  /** False at once when no process is there that could answer. */
  async #answersWithin(server: LocalServer, record: DatabaseRecord, timeoutMs: number): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
      if (await server.answers(record)) return true;
      if (Date.now() > until || (await processesOf(await this.folders.marksOf(record))).length === 0) return false;
      await pause(waitMs);
    }
  }

  async #lastWords({ databaseId }: DatabaseRecord): Promise<string> {
    const log = await readFile(this.folders.logOf(databaseId), 'utf8').catch(() => '');
    return log.trim().split('\n').slice(-3).join(' ').slice(-500) || 'it wrote nothing';
  }
}
