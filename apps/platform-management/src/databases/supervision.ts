import { Backoff } from '@postern/messaging';

/** The leader's in-memory state of a database. A new leader starts without it and determines it again. */
export class Supervision {
  startedAt = 0;
  checkAt = 0;
  measureAt = 0;
  /** When the clients may be sent to the runtime again after a failure. */
  connectAt = 0;
  /** The clients that may connect according to the runtime, as text; undefined if it may have others. */
  connected: string | undefined;
  /** The error of the last attempt; undefined after a success. */
  error: string | undefined;
  readonly #delays = Backoff.exponential({ firstMs: 1_000, maxMs: 60_000 });
  #notBefore = 0;

  /** False during the delay after an attempt. */
  get isDue(): boolean {
    return Date.now() >= this.#notBefore;
  }

  /** Runs `work`, keeps its error, and delays the next attempt exponentially. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.error = undefined;
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
    this.startedAt = Date.now();
    this.#notBefore = this.startedAt + this.#delays.next();
  }

  /** Resets the delay to its minimum. */
  resetDelay(): void {
    this.#delays.reset();
  }
}
