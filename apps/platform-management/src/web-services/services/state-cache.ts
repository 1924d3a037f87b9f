/** The state after a stream's first `version` events. */
export interface CachedState<State> {
  readonly state: State;
  readonly version: number;
}

/**
 * Caches the folded states of the most recently used streams. An outdated entry is a valid starting point, because events never
 * change: only later events must be read.
 */
export class StateCache<State> {
  /** Least recently used first. */
  readonly #states = new Map<string, CachedState<State>>();

  constructor(private readonly capacity: number) {}

  get(streamId: string): CachedState<State> | undefined {
    const cached = this.#states.get(streamId);
    if (cached) this.#put(streamId, cached);
    return cached;
  }

  /** Ignores a state that is older than the cached one. */
  set(streamId: string, reached: CachedState<State>): void {
    const cached = this.#states.get(streamId);
    this.#put(streamId, cached && cached.version > reached.version ? cached : reached);
    const [oldest] = this.#states.keys();
    if (this.#states.size > this.capacity && oldest !== undefined) this.#states.delete(oldest);
  }

  /** Removes the state of a stream that is shorter than its cached version, e.g. after the restore of a backup. */
  delete(streamId: string): void {
    this.#states.delete(streamId);
  }

  #put(streamId: string, state: CachedState<State>): void {
    this.#states.delete(streamId);
    this.#states.set(streamId, state);
  }
}
