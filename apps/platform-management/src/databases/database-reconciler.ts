import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DatabaseRuntime } from '../ports/database-runtime.js';
import type { DatabaseCommand } from './database.js';
import { DatabaseDirectory, DatabaseRepository, type DatabaseRow, DatabaseStorage } from './ports.js';

const LOOK_EVERY_MS = 1_000;
const TIDY_EVERY_MS = 10 * 60_000;
/** From the order on; one that is not running by then has failed. */
const CREATION_DEADLINE_MS = 2 * 60_000;
const ASK_EVERY_MS = 3_000;
const MEASURE_STORAGE_EVERY_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** One that has run for so long since its start is started again without waiting when it ends. */
const STEADY_AFTER_MS = 60_000;
/** Servers that are started side by side; those that only have to be asked do not wait for them. */
const STARTS_AT_ONCE = 3;

/** What this leader remembers of a database; the next one begins anew and finds out the same. */
interface Care {
  /** Attempts since it last ran for a while. */
  attempts: number;
  startedAt: number;
  notBefore: number;
  askAt: number;
  measureAt: number;
  reason: string | undefined;
}

/**
 * The leader's work: databases that were ordered are made, those that run are kept running, those that were deleted
 * go away. Every step may be cut off and is taken again by whoever leads next, from what the events say.
 */
@Injectable()
export class ProvisionDatabases {
  readonly #care = new Map<string, Care>();
  readonly #underWay = new Map<string, Promise<void>>();
  #starting = 0;
  #tidyAt = 0;
  readonly #faults: unknown[] = [];

  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly databases: DatabaseRepository,
    private readonly runtime: DatabaseRuntime,
    private readonly storage: DatabaseStorage,
  ) {}

  /** Until leadership is lost; what is under way then is finished. Throws what went wrong outside the runtime. */
  async lead(lost: AbortSignal): Promise<void> {
    this.#tidyAt = 0;
    try {
      while (!lost.aborted && this.#faults.length === 0) {
        await this.look();
        await pause(LOOK_EVERY_MS, undefined, { signal: lost }).catch(() => undefined);
      }
    } finally {
      await this.settled();
    }
    for (const fault of this.#faults.splice(0)) throw fault;
  }

  /** Begins whatever is to be done now, at most one thing for each database, and does not wait for it. */
  async look(): Promise<void> {
    const rows = await this.directory.all();
    if (Date.now() >= this.#tidyAt) await this.#tidy(rows);
    for (const row of rows) {
      if (this.#underWay.has(row.id)) continue;
      const work = this.#tend(row, this.#careOf(row.id))
        .catch((error: unknown) => {
          this.#faults.push(error);
        })
        .finally(() => this.#underWay.delete(row.id));
      this.#underWay.set(row.id, work);
    }
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #tend(row: DatabaseRow, care: Care): Promise<void> {
    switch (row.status) {
      case 'creating':
        if (Date.now() >= row.createdAt.getTime() + CREATION_DEADLINE_MS) return this.#giveUp(row, care);
        return this.#start(row, care);
      case 'running':
        return this.#watch(row, care);
      case 'unavailable':
        return this.#start(row, care);
      case 'deleting':
        // Attempts to start it say nothing about when to remove it.
        return this.#remove(row, this.#careOf(`removal of ${row.id}`));
      case 'failed':
        return;
    }
  }

  async #start(row: DatabaseRow, care: Care): Promise<void> {
    if (Date.now() < care.notBefore || this.#starting >= STARTS_AT_ONCE) return;
    this.#starting += 1;
    try {
      const credentials = await this.databases.credentialsOf(row.id);
      const { id: databaseId, kind, host, port, limits } = row;
      await this.#attempt(care, async () => {
        if (!credentials) throw new Error('its credentials are gone');
        await this.runtime.ensure({ databaseId, kind, host, port, limits, ...credentials });
      });
    } finally {
      this.#starting -= 1;
    }
    if (care.reason === undefined) await this.#note(row, { kind: 'note-available', at: now() });
    else if (row.status !== 'creating')
      await this.#note(row, { kind: 'note-unavailable', reason: care.reason, at: now() });
  }

  async #watch(row: DatabaseRow, care: Care): Promise<void> {
    if (Date.now() < care.askAt) return;
    care.askAt = Date.now() + ASK_EVERY_MS;
    // One answer that fails to come may be a busy moment.
    const runs = (await this.runtime.isRunning(row.id)) || (await this.runtime.isRunning(row.id));
    if (!runs) {
      await this.#note(row, { kind: 'note-unavailable', reason: 'it does not answer; starting it again', at: now() });
      return this.#start(row, care);
    }
    if (Date.now() > care.startedAt + STEADY_AFTER_MS) care.attempts = 0;
    if (Date.now() >= care.measureAt) await this.#measure(row, care);
  }

  async #measure(row: DatabaseRow, care: Care): Promise<void> {
    care.measureAt = Date.now() + MEASURE_STORAGE_EVERY_MS;
    // A server that ends in this moment is found by the next question.
    const state = await this.storage.enforceStorage(row.id).catch(() => undefined);
    if (state?.readOnly) await this.#note(row, { kind: 'note-read-only', reason: fullOf(row), at: now() });
    else if (state) await this.#note(row, { kind: 'note-writable', at: now() });
  }

  async #remove(row: DatabaseRow, care: Care): Promise<void> {
    if (Date.now() < care.notBefore) return;
    await this.#attempt(care, () => this.runtime.remove(row.id));
    if (care.reason !== undefined) return;
    await this.#note(row, { kind: 'note-deleted', at: now() });
    for (const key of [row.id, `removal of ${row.id}`]) this.#care.delete(key);
  }

  async #giveUp(row: DatabaseRow, care: Care): Promise<void> {
    const reason = care.reason ?? 'the platform did not come to it';
    await this.#attempt(care, () => this.runtime.remove(row.id));
    if (care.reason !== undefined) return;
    const minutes = CREATION_DEADLINE_MS / 60_000;
    await this.#note(row, { kind: 'give-up', reason: `not made within ${minutes} minutes: ${reason}`, at: now() });
  }

  /** Leaves the reason behind when it fails, and a time before which it makes no sense to try again. */
  async #attempt(care: Care, act: () => Promise<void>): Promise<void> {
    try {
      await act();
      care.reason = undefined;
    } catch (error) {
      care.reason = error instanceof Error ? error.message : String(error);
    }
    care.startedAt = Date.now();
    care.notBefore = care.startedAt + Math.min(FIRST_RETRY_MS * 2 ** care.attempts, LAST_RETRY_MS);
    care.attempts += 1;
  }

  async #note({ id }: DatabaseRow, command: DatabaseCommand): Promise<void> {
    await this.databases.execute(id, command);
  }

  #careOf(key: string): Care {
    const known = this.#care.get(key);
    if (known) return known;
    const care: Care = { attempts: 0, startedAt: 0, notBefore: 0, askAt: 0, measureAt: 0, reason: undefined };
    this.#care.set(key, care);
    return care;
  }

  /** What no event speaks of is left over from a creation that was cut off, or from before a restore. */
  async #tidy(rows: readonly DatabaseRow[]): Promise<void> {
    const known = new Set(rows.filter(({ status }) => status !== 'failed').map(({ id }) => id));
    await this.runtime.retain(known);
    await this.databases.retainCredentials(known, new Date(Date.now() - TIDY_EVERY_MS));
    for (const id of this.#care.keys()) if (!known.has(id)) this.#care.delete(id);
    this.#tidyAt = Date.now() + TIDY_EVERY_MS;
  }
}

const now = (): string => new Date().toISOString();

const fullOf = ({ limits }: DatabaseRow): string =>
  `it stores more than the ${limits.storageBytes / 1024 ** 3} GiB of its plan and is read-only; ` +
  'to delete something, SET default_transaction_read_only = off first';
