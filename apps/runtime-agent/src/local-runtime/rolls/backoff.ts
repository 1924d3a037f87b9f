export interface BackoffTimes {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Healthy for so long, and an earlier failure no longer counts. */
  readonly forgivenAfterMs: number;
}

export const BACKOFF: BackoffTimes = { firstMs: 1_000, longestMs: 60_000, forgivenAfterMs: 60_000 };

/** How long to wait after each of the failures that followed each other: twice as long every time, up to a bound. */
export class Backoff {
  #failures = 0;

  constructor(private readonly times: BackoffTimes) {}

  /** Counts one more failure; `healthyMs` is for how long everything was well before it. */
  next(healthyMs: number): number {
    if (healthyMs >= this.times.forgivenAfterMs) this.#failures = 0;
    const pause = this.times.firstMs * 2 ** Math.min(this.#failures, 30);
    this.#failures += 1;
    return Math.min(pause, this.times.longestMs);
  }
}
