import { setTimeout as after } from 'node:timers/promises';
import { BEGINNING, type Position, type RecordedEvent } from '../event.js';
import { liveCheckpoint, registerProjection } from './checkpoints.js';
import { countAfter, feedEnd, lagAfter } from './feed.js';
import { isLed, withLeadership } from './leadership.js';
import { observeLag } from './observe-lag.js';
import { PollLoop } from './poll-loop.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import type { Projection } from './projection.js';
import { ProjectionFollower } from './projection-follower.js';
import { ProjectionRebuild } from './projection-rebuild.js';

export interface ProjectionRunnerOptions {
  readonly store: PostgresEventStore;
  readonly projections: readonly Projection[];
  /** Events per transaction; short transactions keep the feed moving. */
  readonly batchSize?: number;
  readonly pollMs?: number;
  readonly onError?: (projection: string, error: unknown) => void;
  /** Receives the events that this process has applied to a read model, after the commit. */
  readonly onApplied?: (events: readonly RecordedEvent[]) => void;
}

export interface ProjectionStatus {
  readonly name: string;
  /** Rises when a rebuild replaces the live generation. */
  readonly generation: number;
  readonly version: number;
  /** Events that are not applied yet, counted up to 100,000. */
  readonly lag: number;
  /** Whether a process is building a new generation. */
  readonly rebuilding: boolean;
}

const RETRY_REBUILD_MS = 1_000;

/**
 * Keeps read models up to date with the feed. Any number of replicas may run: each batch locks the row of its
 * checkpoint, so that exactly one replica applies it.
 */
export class ProjectionRunner {
  readonly #followers: ReadonlyMap<string, ProjectionFollower>;
  readonly #batchSize: number;
  readonly #pollMs: number;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ProjectionRunnerOptions) {
    this.#batchSize = options.batchSize ?? 1_000;
    this.#pollMs = options.pollMs ?? 300;
    this.#followers = new Map(options.projections.map(projection => [projection.name, this.#follower(projection)]));
  }

  /** Registers new projections, follows the feed, and rebuilds projections whose version is newer than their tables. */
  async start(): Promise<void> {
    for (const { projection } of this.#followers.values())
      await registerProjection(this.options.store.pool, projection.name, projection.version);
    const unsubscribe = this.options.store.onAppended(types => this.wake(types));
    this.#stopping.signal.addEventListener('abort', unsubscribe, { once: true });
    for (const name of this.#followers.keys()) this.#observe(name);
    this.#running = Promise.all([
      this.#watch(),
      ...[...this.#followers.values()].flatMap(({ projection, loop }) => [
        loop.run(this.#stopping.signal),
        this.#rebuildOutdated(projection),
      ]),
    ]);
  }

  /** Finishes the current batches. A rebuild is aborted and starts again at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Makes the projections that apply any of these types read the feed now; all of them if `types` is undefined. */
  wake(types?: ReadonlySet<string>): void {
    for (const { projection, loop } of this.#followers.values())
      if (!types || projection.eventTypes.some(type => types.has(type))) loop.wake();
  }

  /**
   * Resolves when a read model contains all events up to a position, on any replica. Commands wait for it before they reply.
   * @throws when that takes longer than `timeoutMs`.
   */
  async waitUntil(name: string, position: Position | undefined, timeoutMs = 5_000): Promise<void> {
    if (position) await this.#find(name).waitUntil(position, timeoutMs);
  }

  /** The number of events that each read model has not applied yet, counted up to 100,000. */
  async lag(): Promise<ReadonlyMap<string, number>> {
    const { pool } = this.options.store;
    const lags = new Map<string, number>();
    for (const name of this.#followers.keys())
      lags.set(name, await countAfter(pool, (await liveCheckpoint(pool, name)) ?? BEGINNING));
    return lags;
  }

  async status(): Promise<ProjectionStatus[]> {
    const { pool } = this.options.store;
    const lags = await this.lag();
    return Promise.all(
      [...this.#followers.values()].map(async ({ projection: { name, version } }) => {
        const live = await liveCheckpoint(pool, name);
        return {
          name,
          generation: live?.generation ?? 0,
          version: live?.version ?? version,
          lag: lags.get(name) ?? 0,
          rebuilding: await isLed(pool, `rebuild ${name}`),
        };
      }),
    );
  }

  /** Names of the projections that apply any of these types of events. */
  projectionsOf(types: ReadonlySet<string>): string[] {
    return [...this.#followers.values()]
      .filter(({ projection }) => projection.eventTypes.some(type => types.has(type)))
      .map(({ projection }) => projection.name);
  }

  /**
   * Builds a new generation from the first event while the live one answers queries, then replaces it.
   * @returns false when another replica rebuilds it already.
   * @throws when the projection fails or the runner stops; the live generation is kept.
   */
  async rebuild(name: string): Promise<boolean> {
    const { projection } = this.#find(name);
    const { store } = this.options;
    return withLeadership(store.pool, `rebuild ${name}`, this.#stopping.signal, stop =>
      new ProjectionRebuild(store, projection, this.#batchSize).run(stop),
    );
  }

  #observe(name: string): void {
    const { pool } = this.options.store;
    const lag = async () => lagAfter(pool, (await liveCheckpoint(pool, name)) ?? BEGINNING);
    const unobserve = observeLag('postern.projection', { projection: name }, lag);
    this.#stopping.signal.addEventListener('abort', unobserve, { once: true });
  }

  /** One poll for all readers of the feed in this process finds events of other processes. */
  #watch(): Promise<void> {
    const { store } = this.options;
    const poll = async () => {
      const end = await feedEnd(store.pool);
      for (const follower of this.#followers.values()) follower.catchUp(end);
      return 'empty' as const;
    };
    const onError = (error: unknown) => this.options.onError?.('all', error);
    return new PollLoop({ poll, pollMs: this.#pollMs, onError }).run(this.#stopping.signal);
  }

  async #rebuildOutdated({ name, version }: Projection): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const live = await liveCheckpoint(this.options.store.pool, name);
        if (!live || live.version >= version) return;
        if (await this.rebuild(name)) continue;
      } catch (error) {
        if (!signal.aborted) this.options.onError?.(name, error);
      }
      await after(RETRY_REBUILD_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #follower(projection: Projection): ProjectionFollower {
    return new ProjectionFollower({
      onApplied: this.options.onApplied,
      store: this.options.store,
      projection,
      batchSize: this.#batchSize,
      pollMs: this.#pollMs,
      onError: error => this.options.onError?.(projection.name, error),
    });
  }

  #find(name: string): ProjectionFollower {
    const follower = this.#followers.get(name);
    if (!follower)
      throw new Error(`there is no projection ${name}; the projections are ${[...this.#followers.keys()].join(', ')}`);
    return follower;
  }
}
