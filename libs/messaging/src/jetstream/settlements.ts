interface Settlement {
  /** Creation time of the stream that the message came from. */
  readonly origin: string;
  readonly settle: () => void;
}

/**
 * Acknowledges messages only while their stream exists: an old acknowledgement would apply to a new event with the same
 * number in a stream that was created again.
 */
export class Settlements {
  /** The creation time of the current stream. */
  #origin = '';
  /** Collected while the current stream is unknown. */
  #held: Settlement[] | undefined = [];

  get origin(): string {
    return this.#origin;
  }

  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** Collects settlements until `resume`. */
  hold(): void {
    this.#held ??= [];
  }

  /** Settles messages of the stream that was created at `origin` and drops the rest. */
  resume(origin: string): void {
    this.#origin = origin;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { origin: from, settle } of held) if (from === origin) settle();
  }

  settle(origin: string, settle: () => void): void {
    if (this.#held) this.#held.push({ origin, settle });
    else if (origin === this.#origin) settle();
  }
}
