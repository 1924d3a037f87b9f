/** Burst size, in seconds of the rate. */
const BURST_SECONDS = 2;

/** Bytes per second. A sender that exceeds the rate has to wait. Times are in milliseconds of a monotonic clock. */
export class ByteRate {
  #free: number;
  #filledAt: number;

  constructor(
    private readonly perSecond: number,
    now: number,
  ) {
    this.#free = perSecond * BURST_SECONDS;
    this.#filledAt = now;
  }

  spend(bytes: number, now: number): void {
    this.#fill(now);
    this.#free -= bytes;
  }

  /** Milliseconds until the sender may send more. */
  waitMs(now: number): number {
    this.#fill(now);
    return this.#free >= 0 ? 0 : Math.ceil((-this.#free * 1_000) / this.perSecond);
  }

  /** Milliseconds until the full burst is available again. */
  fullMs(now: number): number {
    this.#fill(now);
    return Math.ceil(((this.perSecond * BURST_SECONDS - this.#free) * 1_000) / this.perSecond);
  }

  #fill(now: number): void {
    const seconds = (now - this.#filledAt) / 1_000;
    this.#free = Math.min(this.perSecond * BURST_SECONDS, this.#free + seconds * this.perSecond);
    this.#filledAt = now;
  }
}
