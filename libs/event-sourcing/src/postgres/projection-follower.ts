import { setTimeout as after } from 'node:timers/promises';
import { BEGINNING, comparePositions, type Position, type RecordedEvent } from '../event.js';
import { type Checkpoint, liveCheckpoint, passOver, saveCheckpoint } from './checkpoints.js';
import { type FeedPage, readFeed } from './feed.js';
import { PollLoop, type PollResult } from './poll-loop.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { type Projection, projectionTransaction } from './projection.js';
import { inPipelinedTransaction } from './transaction.js';

interface Waiter {
  readonly position: Position;
  readonly resolve: () => void;
}

/** The state of a follower when it read a page: no event between the two positions belongs to its projection. */
interface ReadFrom {
  readonly checkpoint: Position | undefined;
  readonly seen: Position;
}

export interface FollowerOptions {
  readonly store: PostgresEventStore;
  readonly projection: Projection;
  readonly batchSize: number;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
  /** Receives the events that this process has applied, after the commit. */
  readonly onApplied?: ((events: readonly RecordedEvent[]) => void) | undefined;
}

/** The runner polls for all its followers; this poll finds events whose wake-up was missed. */
const IDLE_MS = 5_000;

/**
 * Time to collect events for the next batch while no caller waits: a transaction costs the same for one event as for fifty.
 */
const COLLECT_MS = 200;

/** Interval at which the checkpoint is saved when it only passes over events of other projections. */
const PASS_OVER_MS = 1_000;

/** Interval at which the checkpoint is read while a caller waits, because another replica may advance it. */
const POLL_CHECKPOINT_MS = 5;

/** Keeps the live generation of one projection up to date with the feed, together with the other replicas. */
export class ProjectionFollower {
  readonly loop: PollLoop;
  readonly #waiters = new Set<Waiter>();
  /** The position that the read model is known to have reached; other replicas may have advanced it further. */
  #seen: Position = BEGINNING;
  /** The last checkpoint that this process read. No event from there to `seen` belongs to the projection. */
  #checkpoint: Position | undefined;
  #passedOverAt = 0;
  #passOverTimer: NodeJS.Timeout | undefined;
  #isPollingCheckpoint = false;
  /** The time at which the next batch starts even without a waiting caller, by `performance.now()`. */
  #collectedAt = 0;
  #endCollecting: (() => void) | undefined;
  #newerReported = false;

  constructor(private readonly options: FollowerOptions) {
    const { pollMs, onError } = options;
    this.loop = new PollLoop({ poll: () => this.#poll(), pollMs, idleMs: Math.max(IDLE_MS, pollMs), onError });
  }

  get projection(): Projection {
    return this.options.projection;
  }

  /** Reads the feed if its end is after the last known position of the read model. */
  catchUp(end: Position): void {
    if (comparePositions(this.#seen, end) < 0) this.loop.wake();
  }

  async waitUntil(position: Position, timeoutMs: number): Promise<void> {
    if (comparePositions(this.#seen, position) >= 0) return;
    await new Promise<void>((resolve, reject) => {
      const waiter = { position, resolve: () => resolve(clearTimeout(timer)) };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(
          new Error(
            `projection ${this.projection.name} did not reach ${position.txid}/${position.pos} in ${timeoutMs} ms`,
          ),
        );
      }, timeoutMs);
      this.#waiters.add(waiter);
      this.#endCollecting?.();
      this.loop.wake();
      void this.#pollCheckpoint();
    });
  }

  /** One loop for all waiting callers. */
  async #pollCheckpoint(): Promise<void> {
    if (this.#isPollingCheckpoint) return;
    this.#isPollingCheckpoint = true;
    while (this.#waiters.size > 0) {
      await after(POLL_CHECKPOINT_MS);
      if (this.#waiters.size === 0) break;
      // The poll loop reports an unavailable database; waiting callers time out.
      const live = await liveCheckpoint(this.options.store.pool, this.projection.name).catch(() => undefined);
      if (live && comparePositions(live, this.#seen) > 0) this.#setCheckpoint(live);
    }
    this.#isPollingCheckpoint = false;
  }

  #advance({ txid, pos }: Position): void {
    if (comparePositions({ txid, pos }, this.#seen) <= 0) return;
    this.#seen = { txid, pos };
    for (const waiter of this.#waiters)
      if (comparePositions(this.#seen, waiter.position) >= 0) {
        this.#waiters.delete(waiter);
        waiter.resolve();
      }
  }

  /** Resolves when the next batch may start: enough time has passed, or a caller waits. */
  async #collect(): Promise<void> {
    const ms = this.#collectedAt - performance.now();
    if (ms <= 0 || this.#waiters.size > 0) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, ms);
      this.#endCollecting = () => resolve(clearTimeout(timer));
    });
    this.#endCollecting = undefined;
  }

  async #poll(): Promise<PollResult> {
    const { store, projection, batchSize } = this.options;
    await this.#collect();
    if (!this.#checkpoint) await this.#loadCheckpoint();
    const { eventTypes: types } = projection;
    const from = { checkpoint: this.#checkpoint, seen: this.#seen };
    // Outside any transaction: most reads find nothing, events never change, and a lock is a write.
    const page = await readFeed(store.pool, from.seen, batchSize, { types, upcasters: store.upcasters });
    if (comparePositions(page.position, from.seen) === 0) {
      await this.#passOverInTime();
      return page.hidden ? 'empty' : 'idle';
    }
    if (page.events.length === 0) {
      this.#advance(page.position);
      await this.#passOverInTime();
    } else {
      await this.#apply(page, from);
      // Another replica holds the checkpoint, or has moved it past the end of this page.
      if (comparePositions(this.#seen, page.position) !== 0) {
        return comparePositions(this.#seen, from.seen) > 0 ? 'more' : 'empty';
      }
    }
    if (page.full) return 'more';
    this.#collectedAt = performance.now() + COLLECT_MS;
    return page.hidden ? 'caught_up' : 'idle';
  }

  /**
   * Applies a page unless another replica did: the replica that locks the checkpoint at the start of the page moves it
   * to the end of the page.
   */
  async #apply(page: FeedPage, from: ReadFrom): Promise<void> {
    const { store, projection } = this.options;
    const { name } = projection;
    let isOurs = false;
    const reached = await inPipelinedTransaction<[Checkpoint | undefined], Checkpoint | undefined>(
      store.pool,
      client => [liveCheckpoint(client, name, 'FOR UPDATE SKIP LOCKED')],
      async (client, [live]) => {
        if (!live || this.#isOfNewerRelease(live) || !isBetween(live, from)) return live;
        await projection.apply(page.events, projectionTransaction(client, ''));
        await saveCheckpoint(client, name, live.generation, page.position);
        isOurs = true;
        return { ...live, ...page.position };
      },
    );
    if (reached) this.#setCheckpoint(reached);
    if (isOurs) this.options.onApplied?.(page.events);
  }

  async #loadCheckpoint(): Promise<void> {
    const live = await liveCheckpoint(this.options.store.pool, this.projection.name);
    if (live) this.#setCheckpoint(live);
  }

  /** Even if the row is behind the last position that this process has seen, because the row is authoritative. */
  #setCheckpoint({ txid, pos }: Position): void {
    this.#checkpoint = { txid, pos };
    this.#passedOverAt = performance.now();
    if (comparePositions(this.#checkpoint, this.#seen) < 0) this.#seen = this.#checkpoint;
    else this.#advance(this.#checkpoint);
  }

  /** A checkpoint that only passes over events of other projections is saved once a second, not for every page. */
  async #passOverInTime(): Promise<void> {
    if (!this.#checkpoint || comparePositions(this.#checkpoint, this.#seen) >= 0) return;
    const { store, projection } = this.options;
    const ms = this.#passedOverAt + PASS_OVER_MS - performance.now();
    if (ms > 0) {
      this.#passOverTimer ??= setTimeout(() => {
        this.#passOverTimer = undefined;
        this.loop.wake();
      }, ms).unref();
      return;
    }
    const to = this.#seen;
    await passOver(store.pool, projection, this.#checkpoint, to);
    // A waiting caller may have read a later checkpoint meanwhile.
    if (comparePositions(to, this.#checkpoint) > 0) this.#checkpoint = to;
    this.#passedOverAt = performance.now();
  }

  /** This release would write rows that the newer release cannot read; its replicas follow the feed instead. */
  #isOfNewerRelease({ version }: Checkpoint): boolean {
    const { name, version: ours } = this.projection;
    if (version <= ours) return false;
    if (!this.#newerReported)
      this.options.onError(
        new Error(
          `projection ${name} has version ${version}, newer than ${ours} of this release; left to newer replicas`,
        ),
      );
    this.#newerReported = true;
    return true;
  }
}

const isBetween = (live: Position, { checkpoint, seen }: ReadFrom): boolean =>
  comparePositions(live, checkpoint ?? seen) >= 0 && comparePositions(live, seen) <= 0;
