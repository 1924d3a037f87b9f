import { Backoff } from '@postern/messaging';

export interface RestartTimes {
  readonly firstMs: number;
  readonly longestMs: number;
  /** After this time in a healthy state, earlier failures no longer count. */
  readonly resetAfterMs: number;
}

export const RESTART_TIMES: RestartTimes = { firstMs: 1_000, longestMs: 60_000, resetAfterMs: 60_000 };

/** Pauses between restarts: twice as long after every failure, up to a limit. */
export class RestartBackoff {
  readonly #delays: Backoff;

  constructor(private readonly times: RestartTimes) {
    this.#delays = Backoff.exponential({ firstMs: times.firstMs, maxMs: times.longestMs });
  }

  /** Counts a failure and returns the pause after it; `healthyMs` is how long the instance was healthy before. */
  next(healthyMs: number): number {
    if (healthyMs >= this.times.resetAfterMs) this.#delays.reset();
    return this.#delays.next();
  }
}
