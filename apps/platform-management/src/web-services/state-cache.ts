/** What a stream's first `version` events lead to. */
export interface StateAt<State> {
  readonly state: State;
  readonly version: number;
}

/**
 * States of the streams that were used last, as this process has folded them. Events never change, so one that others
 * have gone beyond is still a beginning: only what came since has to be read.
 */
export class RememberedStates<State> {
  /** Least recently used first. */
  readonly #states = new Map<string, StateAt<State>>();

  constructor(private readonly capacity: number) {}

  recall(streamId: string): StateAt<State> | undefined {
    const known = this.#states.get(streamId);
    if (known) this.#keep(streamId, known);
    return known;
  }

  /** A state that lies further back than the one that is known is left alone. */
  remember(streamId: string, reached: StateAt<State>): void {
    const known = this.#states.get(streamId);
    this.#keep(streamId, known && known.version > reached.version ? known : reached);
    const [oldest] = this.#states.keys();
    if (this.#states.size > this.capacity && oldest !== undefined) this.#states.delete(oldest);
  }

  /** For a stream that turned out not to be where it is said to be, as after the restore of a backup. */
  forget(streamId: string): void {
    this.#states.delete(streamId);
  }

  #keep(streamId: string, state: StateAt<State>): void {
    this.#states.delete(streamId);
    this.#states.set(streamId, state);
  }
}
