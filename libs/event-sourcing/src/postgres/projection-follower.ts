import { setTimeout as after } from 'node:timers/promises';
import { BEGINNING, comparePositions, type Position } from '../event.js';
import { type Checkpoint, liveCheckpoint, passOver, saveCheckpoint } from './checkpoints.js';
import { type FeedPage, readFeed } from './feed.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { type Projection, projectionTransaction } from './projection.js';
import { type RoundOutcome, Rounds } from './rounds.js';
import { inTransactionAsking } from './transaction.js';

interface Waiter {
  readonly position: Position;
  readonly resolve: () => void;
}

/** Where a follower stood when it read: nothing between the two positions concerns its projection. */
interface Standing {
  readonly checkpoint: Position | undefined;
  readonly seen: Position;
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
const GATHER_MS = 200;

/** How often the checkpoint is written that has only passed over events of no concern. */
const PASS_OVER_MS = 1_000;

/** How often the checkpoint is asked for while somebody waits: another replica may be the one that advances it. */
const LOOK_MS = 5;

/** Keeps the live generation of one projection up with the feed, in turn with the other replicas. */
export class ProjectionFollower {
  readonly rounds: Rounds;
  private readonly waiters = new Set<Waiter>();
  /** How far the read model is known to reach; other replicas may have brought it further. */
  private seen: Position = BEGINNING;
  /** The last checkpoint that this process saw. From there to `seen` is nothing that concerns the projection. */
  private checkpoint: Position | undefined;
  private passedOverAt = 0;
  private passOverTimer: NodeJS.Timeout | undefined;
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
      if (live && comparePositions(live, this.seen) > 0) this.standAt(live);
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

  private async round(): Promise<RoundOutcome> {
    const { store, projection, batchSize } = this.options;
    await this.gather();
    if (!this.checkpoint) await this.stand();
    const { eventTypes: types } = projection;
    const stood = { checkpoint: this.checkpoint, seen: this.seen };
    // Outside of any transaction: most reads find nothing, what they find never changes, and a lock is a write.
    const page = await readFeed(store.pool, stood.seen, batchSize, { types, upcasters: store.upcasters });
    if (comparePositions(page.position, stood.seen) === 0) {
      await this.passOverInTime();
      return page.hidden ? false : 'at_rest';
    }
    if (page.events.length === 0) {
      this.advance(page.position);
      await this.passOverInTime();
    } else {
      await this.apply(page, stood);
      // Somebody else has the checkpoint, or has been faster and stands where this page does not end.
      if (comparePositions(this.seen, page.position) !== 0) return comparePositions(this.seen, stood.seen) > 0;
    }
    if (page.full) return true;
    this.gatheredAt = performance.now() + GATHER_MS;
    return page.hidden ? 'look_again' : 'at_rest';
  }

  /**
   * Applies a page in turn with the other replicas: whoever holds the checkpoint while it stands where the page began
   * moves it to the page's end.
   */
  private async apply(page: FeedPage, stood: Standing): Promise<void> {
    const { store, projection } = this.options;
    const { name } = projection;
    const reached = await inTransactionAsking<[Checkpoint | undefined], Checkpoint | undefined>(
      store.pool,
      client => [liveCheckpoint(client, name, 'FOR UPDATE SKIP LOCKED')],
      async (client, [live]) => {
        if (!live || this.isOfNewerRelease(live) || !isBetween(live, stood)) return live;
        await projection.apply(page.events, projectionTransaction(client, ''));
        await saveCheckpoint(client, name, live.generation, page.position);
        return { ...live, ...page.position };
      },
    );
    if (reached) this.standAt(reached);
  }

  private async stand(): Promise<void> {
    const live = await liveCheckpoint(this.options.store.pool, this.projection.name);
    if (live) this.standAt(live);
  }

  /** Even where that is behind what this process had seen: the row is what counts. */
  private standAt({ txid, pos }: Position): void {
    this.checkpoint = { txid, pos };
    this.passedOverAt = performance.now();
    if (comparePositions(this.checkpoint, this.seen) < 0) this.seen = this.checkpoint;
    else this.advance(this.checkpoint);
  }

  /** A checkpoint that only has to pass over what is of no concern is written now and then, not for every page. */
  private async passOverInTime(): Promise<void> {
    if (!this.checkpoint || comparePositions(this.checkpoint, this.seen) >= 0) return;
    const { store, projection } = this.options;
    const ms = this.passedOverAt + PASS_OVER_MS - performance.now();
    if (ms > 0) {
      this.passOverTimer ??= setTimeout(() => {
        this.passOverTimer = undefined;
        this.rounds.wake();
      }, ms).unref();
      return;
    }
    const to = this.seen;
    await passOver(store.pool, projection, this.checkpoint, to);
    // Who waits may have found it further still meanwhile.
    if (comparePositions(to, this.checkpoint) > 0) this.checkpoint = to;
    this.passedOverAt = performance.now();
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

const isBetween = (live: Position, { checkpoint, seen }: Standing): boolean =>
  comparePositions(live, checkpoint ?? seen) >= 0 && comparePositions(live, seen) <= 0;
