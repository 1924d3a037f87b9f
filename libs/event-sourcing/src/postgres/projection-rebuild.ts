import { setTimeout as after } from 'node:timers/promises';
import { BEGINNING, comparePositions, type Position } from '../event.js';
import {
  holdNextCheckpoint,
  liveCheckpoint,
  promoteGeneration,
  saveCheckpoint,
  startGeneration,
} from './checkpoints.js';
import { type FeedPage, readFeed } from './feed.js';
import { claimGenerations, createNextTables, NEXT, swapTables } from './generations.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { type Projection, projectionTransaction } from './projection.js';
import { inTransaction } from './transaction.js';

/** Shorter than deadlock_timeout of PostgreSQL (1 s), so that the rebuild and not the reader yields in a deadlock. */
const LOCK_TIMEOUT_MS = 250;

const BETWEEN_ATTEMPTS_MS = 200;

/** Pages grow up to this multiple; with small pages a rebuild would never catch up with a steady writer. */
const MAX_PAGES = 16;

const isLockTimeout = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '55P03';

/** The feed of this transaction ends before the live checkpoint; a later transaction sees more. */
class FeedHidden extends Error {}

/**
 * Builds a new generation of a projection beside the live one and then replaces it. The caller ensures that one process
 * rebuilds at a time; if two processes rebuild, the checkpoint that every batch locks stops one of them.
 */
export class ProjectionRebuild {
  #generation = 0;
  #reached: Position = BEGINNING;

  constructor(
    private readonly store: PostgresEventStore,
    private readonly projection: Projection,
    private readonly batchSize: number,
  ) {}

  /** @throws when `stop` is aborted or the projection fails; the live generation is kept. */
  async run(stop: AbortSignal): Promise<void> {
    await this.#begin();
    for (let after: string | undefined = ''; after !== undefined; after = await this.#carryOver(after))
      stop.throwIfAborted();
    for (let attempt = 0; ; attempt++) {
      // Catching up with the live generation suffices: under steady writes the feed has no end.
      for (let behind = true, limit = this.batchSize; behind; limit = Math.min(limit * 2, this.batchSize * MAX_PAGES)) {
        stop.throwIfAborted();
        const { full } = await this.#applyPage(limit);
        const live = await liveCheckpoint(this.store.pool, this.projection.name);
        behind = full && comparePositions(this.#reached, live ?? BEGINNING) < 0;
      }
      try {
        return await this.#replaceLive(attempt);
      } catch (error) {
        // Readers held locks, and others queued behind this transaction: wait for them before the next attempt.
        if (!isLockTimeout(error) && !(error instanceof FeedHidden)) throw error;
        await after(BETWEEN_ATTEMPTS_MS, undefined, { signal: stop });
      }
    }
  }

  async #begin(): Promise<void> {
    const { name, version } = this.projection;
    await inTransaction(this.store.pool, async client => {
      const live = await liveCheckpoint(client, name);
      if (!live) throw new Error(`projection ${name} has never run`);
      await claimGenerations(client, this.projection);
      this.#generation = live.generation + 1;
      this.#reached = BEGINNING;
      await startGeneration(client, name, this.#generation, version);
      await createNextTables(client, this.projection);
    });
  }

  #carryOver(after: string): Promise<string | undefined> {
    return inTransaction(this.store.pool, async client => {
      await this.#hold(client);
      const [live, next] = [projectionTransaction(client, ''), projectionTransaction(client, NEXT)];
      return this.projection.carryOver?.(after, live, next);
    });
  }

  async #applyPage(limit: number): Promise<FeedPage> {
    const page = await inTransaction(this.store.pool, async client => {
      await this.#hold(client);
      const read = await this.#read(client, this.#reached, limit);
      if (read.events.length > 0) await this.projection.apply(read.events, projectionTransaction(client, NEXT));
      await saveCheckpoint(client, this.projection.name, this.#generation, read.position);
      return read;
    });
    this.#reached = page.position;
    return page;
  }

  /** Locks the live checkpoint, so that both generations are at the same event when they are exchanged. */
  #replaceLive(attempt: number): Promise<void> {
    const { name } = this.projection;
    return inTransaction(this.store.pool, async client => {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await claimGenerations(client, this.projection);
      const live = await liveCheckpoint(client, name, 'FOR UPDATE');
      if (live?.generation !== this.#generation - 1) throw this.#overtaken();
      await this.#hold(client);
      let reached = this.#reached;
      // The snapshot of a transaction does not advance; events after the live checkpoint are not applied.
      while (comparePositions(reached, live) < 0) {
        const page = await this.#read(client, reached, this.batchSize * MAX_PAGES);
        if (comparePositions(page.position, reached) === 0) throw new FeedHidden();
        const events = page.events.filter(event => comparePositions(event.position, live) <= 0);
        if (events.length > 0) await this.projection.apply(events, projectionTransaction(client, NEXT));
        reached = comparePositions(page.position, live) > 0 ? live : page.position;
      }
      await swapTables(client, this.projection, attempt);
      await saveCheckpoint(client, name, this.#generation, reached);
      await promoteGeneration(client, name, this.#generation);
    });
  }

  async #hold(client: Parameters<typeof holdNextCheckpoint>[0]): Promise<void> {
    const next = await holdNextCheckpoint(client, this.projection.name, this.#generation);
    if (!next || comparePositions(next, this.#reached) !== 0) throw this.#overtaken();
  }

  #read(client: Parameters<typeof readFeed>[0], after: Position, limit: number): Promise<FeedPage> {
    const { eventTypes: types } = this.projection;
    return readFeed(client, after, limit, { types, upcasters: this.store.upcasters });
  }

  #overtaken(): Error {
    return new Error(`projection ${this.projection.name} is being rebuilt by another process`);
  }
}
