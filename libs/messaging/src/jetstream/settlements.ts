interface Settlement {
  /** Creation time of the stream that the message came from. */
  readonly origin: string;
  readonly settle: () => void;
}

/**
 * Acknowledges messages only while the stream is the one that they came from: an old acknowledgement would apply to a
 * new event with the same number in a stream that was created again.
 */
export class Settlements {
  /** The creation time of the present stream. */
  #origin = '';
  /** Collected while it is unknown which stream is present. */
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

  /** Settles what belongs to the stream that was created at `origin` and drops the rest. */
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
