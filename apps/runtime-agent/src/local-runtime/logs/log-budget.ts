export interface LogRate {
  readonly linesPerSecond: number;
  readonly bytesPerSecond: number;
}

/** The burst size, in seconds of the rate. */
const BURST_SECONDS = 4;

/** Two token buckets, for lines and for bytes: a service that floods its log loses only its own lines. */
export class LogBudget {
  #lines: number;
  #bytes: number;
  #filledAt: number;

  constructor(
    private readonly rate: LogRate,
    now: number,
  ) {
    this.#lines = rate.linesPerSecond * BURST_SECONDS;
    this.#bytes = rate.bytesPerSecond * BURST_SECONDS;
    this.#filledAt = now;
  }

  /** Whether one line of this size may pass now; `now` is in milliseconds of a monotonic clock. */
  admits(bytes: number, now: number): boolean {
    const { linesPerSecond, bytesPerSecond } = this.rate;
    const seconds = (now - this.#filledAt) / 1_000;
    this.#filledAt = now;
    this.#lines = Math.min(linesPerSecond * BURST_SECONDS, this.#lines + seconds * linesPerSecond);
    this.#bytes = Math.min(bytesPerSecond * BURST_SECONDS, this.#bytes + seconds * bytesPerSecond);
    if (this.#lines < 1 || this.#bytes < bytes) return false;
    this.#lines -= 1;
    this.#bytes -= bytes;
    return true;
  }
}
