import { setTimeout as after } from 'node:timers/promises';
import { BEGINNING, comparePositions, type Position } from '../event.js';
import { type Checkpoint, liveCheckpoint, saveCheckpoint } from './checkpoints.js';
import { readFeed } from './feed.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { type Projection, projectionTransaction } from './projection.js';
import { Rounds } from './rounds.js';
import { inTransaction } from './transaction.js';

interface Waiter {
  readonly position: Position;
  readonly resolve: () => void;
}

export interface FollowerOptions {
  readonly store: PostgresEventStore;
  readonly projection: Projection;
  readonly batchSize: number;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}

/** The runner polls for all its followers; this is for what slipped past a wake-up. */
const REST_MS = 5_000;

/**
 * How long events may gather for the next batch while nobody waits for them: a transaction costs the same for one
 * event as for fifty.
 */
const GATHER_MS = 50;

/** How often the checkpoint is asked for while somebody waits: another replica may be the one that advances it. */
const LOOK_MS = 5;

/** Keeps the live generation of one projection up with the feed, in turn with the other replicas. */
export class ProjectionFollower {
  readonly rounds: Rounds;
  private readonly waiters = new Set<Waiter>();
  /** The last checkpoint that this process saw; others may be further. */
  private seen: Position = BEGINNING;
  private looking = false;
  /** When the next batch may begin though nobody waits, on the clock of `performance.now()`. */
  private gatheredAt = 0;
  private hurry: (() => void) | undefined;
  private newerReported = false;

  constructor(private readonly options: FollowerOptions) {
    const { pollMs, onError } = options;
    this.rounds = new Rounds({ round: () => this.round(), pollMs, restMs: Math.max(REST_MS, pollMs), onError });
  }

  get projection(): Projection {
    return this.options.projection;
  }

  /** Looks at the feed when it goes further than this process has seen the read model. */
  catchUp(end: Position): void {
    if (comparePositions(this.seen, end) < 0) this.rounds.wake();
  }

  async waitUntil(position: Position, timeoutMs: number): Promise<void> {
    if (comparePositions(this.seen, position) >= 0) return;
    await new Promise<void>((resolve, reject) => {
      const waiter = { position, resolve: () => resolve(clearTimeout(timer)) };
      const timer = setTimeout(() => {
        this.waiters.delete(waiter);
        reject(
          new Error(
            `projection ${this.projection.name} did not reach ${position.txid}/${position.pos} in ${timeoutMs} ms`,
          ),
        );
      }, timeoutMs);
      this.waiters.add(waiter);
      this.hurry?.();
      this.rounds.wake();
      void this.look();
    });
  }

  /** One loop for all who wait. */
  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    while (this.waiters.size > 0) {
      await after(LOOK_MS);
      if (this.waiters.size === 0) break;
      // A database that is away is the follower's to report; who waits runs into the timeout.
      const live = await liveCheckpoint(this.options.store.pool, this.projection.name).catch(() => undefined);
      if (live) this.advance(live);
    }
    this.looking = false;
  }

  private advance({ txid, pos }: Position): void {
    if (comparePositions({ txid, pos }, this.seen) <= 0) return;
    this.seen = { txid, pos };
    for (const waiter of this.waiters)
      if (comparePositions(this.seen, waiter.position) >= 0) {
        this.waiters.delete(waiter);
        waiter.resolve();
      }
  }

  /** Resolves when enough time has gone by since the last small batch, or somebody waits for the next one. */
  private async gather(): Promise<void> {
    const ms = this.gatheredAt - performance.now();
    if (ms <= 0 || this.waiters.size > 0) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, ms);
      this.hurry = () => resolve(clearTimeout(timer));
    });
    this.hurry = undefined;
  }

  private async round(): Promise<boolean> {
    const { store, projection, batchSize } = this.options;
    await this.gather();
    // A look without locks first: most polls find nothing, and a lock is a write.
    const ahead = await readFeed(store.pool, this.seen, 1, { types: [] });
    if (comparePositions(ahead.position, this.seen) === 0) return false;
    const done = await inTransaction(store.pool, async client => {
      const live = await liveCheckpoint(client, projection.name, 'FOR UPDATE SKIP LOCKED');
      if (!live || this.isOfNewerRelease(live)) return undefined;
      const { eventTypes: types } = projection;
      const page = await readFeed(client, live, batchSize, { types, upcasters: store.upcasters });
      if (page.events.length > 0) await projection.apply(page.events, projectionTransaction(client, ''));
      const moved = comparePositions(page.position, live) > 0;
      if (moved) await saveCheckpoint(client, projection.name, live.generation, page.position);
      if (!page.full) this.gatheredAt = performance.now() + GATHER_MS;
      return { position: page.position, moved };
    });
    if (done) this.advance(done.position);
    return done?.moved ?? false;
  }

  /** This release would write rows that the newer one cannot read; during a rolling update the newer one follows. */
  private isOfNewerRelease({ version }: Checkpoint): boolean {
    const { name, version: ours } = this.projection;
    if (version <= ours) return false;
    if (!this.newerReported)
      this.options.onError(
        new Error(
          `projection ${name} has version ${version}, newer than ${ours} of this release; left to newer replicas`,
        ),
      );
    this.newerReported = true;
    return true;
  }
}
