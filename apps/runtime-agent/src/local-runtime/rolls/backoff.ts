export interface BackoffTimes {
  readonly firstMs: number;
  readonly longestMs: number;
  /** After this time in health, earlier failures no longer count. */
  readonly forgivenAfterMs: number;
}

export const BACKOFF: BackoffTimes = { firstMs: 1_000, longestMs: 60_000, forgivenAfterMs: 60_000 };

/** Pauses between restarts: twice as long after every failure, up to a limit. */
export class Backoff {
  #failures = 0;

  constructor(private readonly times: BackoffTimes) {}

  /** Counts a failure and returns the pause after it; `healthyMs` is how long the instance was healthy before. */
  next(healthyMs: number): number {
    if (healthyMs >= this.times.forgivenAfterMs) this.#failures = 0;
    const pause = this.times.firstMs * 2 ** Math.min(this.#failures, 30);
    this.#failures += 1;
    return Math.min(pause, this.times.longestMs);
  }
}
