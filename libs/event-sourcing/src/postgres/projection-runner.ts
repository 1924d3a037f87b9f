import type pg from 'pg';
import { BEGINNING, comparePositions, type Position } from '../event.js';
import {
  beginGeneration,
  type Checkpoint,
  liveCheckpoint,
  promoteGeneration,
  registerProjection,
  saveCheckpoint,
} from './checkpoints.js';
import { countAfter, readFeed } from './feed.js';
import { createNextTables, dropNextTables, NEXT, swapTables } from './generations.js';
import { withLeadership } from './leadership.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { type Projection, projectionTransaction } from './projection.js';
import { Rounds } from './rounds.js';

export interface ProjectionRunnerOptions {
  readonly store: PostgresEventStore;
  readonly projections: readonly Projection[];
  /** Events a transaction; short transactions keep the feed moving. */
  readonly batchSize?: number;
  readonly pollMs?: number;
  readonly onError?: (projection: string, error: unknown) => void;
}

interface Follower {
  readonly projection: Projection;
  readonly rounds: Rounds;
  /** The last checkpoint that this process saw; others may be further. */
  seen: Position;
}

/**
 * Keeps read models up with the feed. Any number of replicas may run: each batch holds the row of its checkpoint, so
 * whichever comes first applies it and nobody applies it twice.
 */
export class ProjectionRunner {
  private readonly pool: pg.Pool;
  private readonly followers: ReadonlyMap<string, Follower>;
  private readonly batchSize: number;
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ProjectionRunnerOptions) {
    this.pool = options.store.pool;
    this.batchSize = options.batchSize ?? 1_000;
    this.followers = new Map(options.projections.map(projection => [projection.name, this.follower(projection)]));
  }

  /** Registers new projections, rebuilds those whose code is newer than their tables, and follows the feed. */
  async start(): Promise<void> {
    for (const { projection } of this.followers.values())
      await registerProjection(this.pool, projection.name, projection.version);
    const unsubscribe = this.options.store.onAppended(() => this.wake());
    this.stopping.signal.addEventListener('abort', unsubscribe, { once: true });
    this.running = Promise.all([...this.followers.values()].map(follower => this.follow(follower)));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  wake(): void {
    for (const { rounds } of this.followers.values()) rounds.wake();
  }

  /**
   * Resolves when a read model holds everything up to a position: what a command waits for before it answers.
   * @throws when that takes longer than `timeoutMs`.
   */
  async waitUntil(name: string, position: Position | undefined, timeoutMs = 5_000): Promise<void> {
    if (!position) return;
    const follower = this.find(name);
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      if (comparePositions(follower.seen, position) >= 0) return;
      follower.seen = (await liveCheckpoint(this.pool, name)) ?? BEGINNING;
      if (comparePositions(follower.seen, position) >= 0) return;
      if (Date.now() > deadline)
        throw new Error(`projection ${name} did not reach ${position.txid}/${position.pos} within ${timeoutMs} ms`);
      follower.rounds.wake();
      await new Promise(resolve => setTimeout(resolve, 2));
    }
  }

  /** How many events each read model is behind, counted to 100,000. */
  async lag(): Promise<ReadonlyMap<string, number>> {
    const lags = new Map<string, number>();
    for (const name of this.followers.keys())
      lags.set(name, await countAfter(this.pool, (await liveCheckpoint(this.pool, name)) ?? BEGINNING));
    return lags;
  }

  /**
   * Builds a new generation from the first event on while the live one answers, then puts it in its place.
   * @returns false when another replica is already at it.
   */
  async rebuild(name: string): Promise<boolean> {
    const { projection } = this.find(name);
    return withLeadership(this.pool, `rebuild ${name}`, this.stopping.signal, async lost => {
      const live = await liveCheckpoint(this.pool, name);
      if (!live) throw new Error(`projection ${name} has never run`);
      const generation = live.generation + 1;
      await this.inTransaction(async client => {
        await createNextTables(client, projection);
        await beginGeneration(client, name, generation, projection.version);
      });
      let reached: Position = BEGINNING;
      for (let full = true; full; ) {
        if (lost.aborted) return;
        ({ position: reached, full } = await this.buildOn(projection, generation, reached));
      }
      await this.inTransaction(client => this.takeOver(client, projection, generation, reached));
    });
  }

  private async buildOn(projection: Projection, generation: number, after: Position) {
    return this.inTransaction(async client => {
      const page = await readFeed(client, after, this.batchSize, this.wanted(projection));
      if (page.events.length > 0) await projection.apply(page.events, projectionTransaction(client, NEXT));
      await saveCheckpoint(client, projection.name, generation, page.position);
      return page;
    });
  }

  /** The live checkpoint is held from here on, so both generations stand at the same event when they are exchanged. */
  private async takeOver(client: pg.PoolClient, projection: Projection, generation: number, from: Position) {
    const live = await liveCheckpoint(client, projection.name, 'FOR UPDATE');
    if (live?.generation !== generation - 1) return dropNextTables(client, projection);
    let reached = from;
    while (comparePositions(reached, live) < 0) {
      const page = await readFeed(client, reached, this.batchSize, this.wanted(projection));
      const events = page.events.filter(event => comparePositions(event.position, live) <= 0);
      if (events.length > 0) await projection.apply(events, projectionTransaction(client, NEXT));
      reached = comparePositions(page.position, live) > 0 ? live : page.position;
    }
    await swapTables(client, projection);
    await saveCheckpoint(client, projection.name, generation, reached);
    await promoteGeneration(client, projection.name, generation);
  }

  private async follow({ projection, rounds }: Follower): Promise<void> {
    const { signal } = this.stopping;
    await this.rebuildOutdated(projection).catch(error => this.options.onError?.(projection.name, error));
    await rounds.run(signal);
  }

  private async rebuildOutdated({ name, version }: Projection): Promise<void> {
    const live = await liveCheckpoint(this.pool, name);
    if (live && live.version < version) await this.rebuild(name);
  }

  private follower(projection: Projection): Follower {
    const follower: Follower = {
      projection,
      seen: BEGINNING,
      rounds: new Rounds({
        round: () => this.round(follower),
        pollMs: this.options.pollMs ?? 200,
        onError: error => this.options.onError?.(projection.name, error),
      }),
    };
    return follower;
  }

  private async round(follower: Follower): Promise<boolean> {
    // A look without locks first: most polls find nothing, and a lock is a write.
    const ahead = await readFeed(this.pool, follower.seen, 1, { types: [] });
    if (comparePositions(ahead.position, follower.seen) === 0) return false;
    return this.inTransaction(async client => {
      const { projection } = follower;
      const live = await liveCheckpoint(client, projection.name, 'FOR UPDATE SKIP LOCKED');
      if (!live) return false;
      const page = await readFeed(client, live, this.batchSize, this.wanted(projection));
      if (page.events.length > 0) await projection.apply(page.events, projectionTransaction(client, ''));
      if (comparePositions(page.position, live) > 0)
        await saveCheckpoint(client, projection.name, live.generation, page.position);
      return { page, live };
    }).then(done => this.remember(follower, done));
  }

  private remember(follower: Follower, done: false | { page: { position: Position }; live: Checkpoint }): boolean {
    if (!done) return false;
    follower.seen = done.page.position;
    return comparePositions(done.page.position, done.live) > 0;
  }

  private wanted({ eventTypes }: Projection) {
    return { types: eventTypes, upcasters: this.options.store.upcasters };
  }

  private find(name: string): Follower {
    const follower = this.followers.get(name);
    if (!follower)
      throw new Error(`there is no projection ${name}; known are ${[...this.followers.keys()].join(', ')}`);
    return follower;
  }

  private async inTransaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((rollback: Error) => {
        broken = rollback;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }
}
