const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

/** What a leader remembers about a database. A new leader starts without it and finds out the same. */
export class Supervision {
  startedAt = 0;
  checkAt = 0;
  measureAt = 0;
  /** Why the last attempt failed; undefined after a success. */
  error: string | undefined;
  #attempts = 0;
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
    this.#notBefore = this.startedAt + Math.min(FIRST_RETRY_MS * 2 ** this.#attempts, LAST_RETRY_MS);
    this.#attempts += 1;
  }

  /** Starts over with the shortest delay. */
  resetDelay(): void {
    this.#attempts = 0;
  }
}
