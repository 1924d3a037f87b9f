import type { ChildProcess } from 'node:child_process';
import { readFile, stat, truncate } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Backoff } from '@postern/messaging';
import type { DatabaseOrder } from '@postern/runtime';
import { processEntry } from '../../infrastructure/process-table.js';
import { type DatabaseFolders, type DatabaseRecord, isFree, LOCAL_HOST } from './database-folder.js';
import type { Listening } from './postgres-settings.js';
import { endProcesses, leadersOf, processesOf } from './processes.js';
import { ResourceBounds } from './resource-bounds.js';

/** `busy`: it works, and all connections are in use. `starting`: it loads its data. `silent`: there is no sign that it works. */
export type ServerState = 'ready' | 'busy' | 'starting' | 'silent';

/** A busy server must not be restarted: that would end the connections of its clients. */
export const isAlive = (state: ServerState): boolean => state === 'ready' || state === 'busy';

/** The differences between the servers of the two kinds of databases. */
export interface LocalServer {
  /** Makes the server shut down cleanly. */
  readonly stopSignal: NodeJS.Signals;
  /** Where clients reach it; undefined if only the platform does. */
  readonly listening: (record: DatabaseRecord) => Listening | undefined;
  /** Creates its data folder, completely or not at all. */
  prepare(record: DatabaseRecord): Promise<void>;
  /** Starts its process; no process of the database runs when this is called. */
  launch(record: DatabaseRecord, order: DatabaseOrder): Promise<ChildProcess>;
  state(record: DatabaseRecord): Promise<ServerState>;
  /** A consistent copy of its data, made while it runs. */
  copy(record: DatabaseRecord): Promise<Readable>;
  /** Creates its data folder from such a copy; there is no data folder when this is called. */
  unpack(record: DatabaseRecord, copy: Readable, signal: AbortSignal): Promise<void>;
  /** Ends the connections from these addresses. */
  disconnect(record: DatabaseRecord, addresses: readonly string[]): Promise<void>;
  /** Ends the connections from outside of the platform, except those from the networks of the record. */
  disconnectOutside(record: DatabaseRecord): Promise<void>;
  /** Updates credentials and the database inside it to the order. */
  settle(record: DatabaseRecord, order: DatabaseOrder): Promise<void>;
}

/** A running server that does not respond for this time, and makes no progress either, is restarted. */
const SILENT_MS = 15_000;
const LOADED_WITHIN_MS = 5 * 60_000;
const STOP_GRACE_MS = 10_000;
const PORT_FREE_WITHIN_MS = 5_000;
/** The line prefixes of PostgreSQL (`%m [%p] `) and Valkey (`<pid>:M <time> * `). */
const LINE_PREFIX = /^(\S+ \S+ \S+ \[\d+\]|\d+:\w .{24} \S) /;

/** Starts and stops servers, from any state after a kill. */
export class ServerSupervisor {
  readonly #bounds = new ResourceBounds();

  constructor(
    private readonly folders: DatabaseFolders,
    /** A server that does not respond within this time has failed to start. */
    private readonly startTimeoutMs: number,
    /** A server that says that it loads its data gets this time. */
    private readonly loadedWithinMs = LOADED_WITHIN_MS,
  ) {}

  /** @param makeRoom runs before a server starts, when none runs. */
  async ensure(
    server: LocalServer,
    record: DatabaseRecord,
    order: DatabaseOrder,
    makeRoom: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    const runs = async () => (await processesOf(this.folders.marksOf(record))).length > 0;
    const before = await this.#progressOf(record);
    if (!(await this.#answersWithin(server, record, SILENT_MS, runs))) {
      const after = await this.#progressOf(record);
      if (after !== undefined && after !== before) throw new Error('busy: its server works, but does not respond');
      await this.stop(server, record);
      await makeRoom();
      await server.prepare(record);
      const place = server.listening(record);
      if (place?.host === LOCAL_HOST) await this.#untilFree(place.port);
      const child = await server.launch(record, order);
      const lives = async () => child.exitCode === null && child.signalCode === null;
      // Limits the server before it has child processes; repeated below for children that started earlier.
      await this.#hold(record, order);
      if (!(await this.#answersWithin(server, record, this.startTimeoutMs, lives))) {
        const reason = await this.#lastLines(record);
        await endProcesses(this.folders.marksOf(record), 'SIGKILL', 0);
        throw new Error(`the server did not start: ${reason}`);
      }
    }
    await this.#hold(record, order);
    await server.settle(record, order);
  }

  async stop(server: LocalServer, record: DatabaseRecord): Promise<void> {
    await endProcesses(this.folders.marksOf(record), server.stopSignal, STOP_GRACE_MS);
    await this.#bounds.release(record.databaseId);
  }

  /** Kills the server, because data that will be deleted need not be flushed. */
  async kill(record: DatabaseRecord): Promise<void> {
    await endProcesses(this.folders.marksOf(record), 'SIGKILL', 0);
    await this.#bounds.release(record.databaseId);
  }

  /** Truncates a log above the size limit; the server appends, so it continues at the beginning. */
  async trimLog(databaseId: string, bytes: number): Promise<void> {
    const log = this.folders.logOf(databaseId);
    const size = await stat(log).then(
      ({ size }) => size,
      () => 0,
    );
    if (size > bytes) await truncate(log);
  }

  /** The kernel closes the port of a killed process shortly after the process has left its folder. */
  async #untilFree(port: number): Promise<void> {
    const until = Date.now() + PORT_FREE_WITHIN_MS;
    while (!(await isFree(port))) {
      if (Date.now() > until) throw new Error(`another program listens on its port ${port}`);
      await pause(20);
    }
  }

  async #hold(record: DatabaseRecord, { limits }: DatabaseOrder): Promise<void> {
    const pids = await processesOf(this.folders.marksOf(record));
    await this.#bounds.hold(record.databaseId, pids, limits);
  }

  /** Returns false at once if no process is left that could respond. */
  async #answersWithin(
    server: LocalServer,
    record: DatabaseRecord,
    timeoutMs: number,
    lives: () => Promise<boolean>,
  ): Promise<boolean> {
    const startedAt = Date.now();
    const backoff = Backoff.exponential({ firstMs: 20, maxMs: 500 });
    for (;;) {
      const state = await server.state(record);
      if (isAlive(state)) return true;
      const limitMs = state === 'starting' ? Math.max(timeoutMs, this.loadedWithinMs) : timeoutMs;
      if (Date.now() > startedAt + limitMs || !(await lives())) return false;
      await backoff.pause();
    }
  }

  /** A text that changes while the main process of the server works; undefined if none runs. */
  async #progressOf(record: DatabaseRecord): Promise<string | undefined> {
    const [leader] = leadersOf(await processesOf(this.folders.marksOf(record)));
    const entry = leader === undefined ? undefined : processEntry(leader);
    return entry && `${entry.pid} ${entry.startTime} ${entry.cpuMs}`;
  }

  /** Without times and process ids, so that the same error has the same text at every attempt. */
  async #lastLines({ databaseId }: DatabaseRecord): Promise<string> {
    const log = await readFile(this.folders.logOf(databaseId), 'utf8').catch(() => '');
    const lines = log.trim().split('\n').slice(-3);
    return (
      lines
        .map(line => line.replace(LINE_PREFIX, ''))
        .join(' ')
        .slice(-500) || 'it wrote nothing'
    );
  }
}
