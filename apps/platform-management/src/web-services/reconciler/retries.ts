/** Attempts before an unexpected error counts as a failure, and the pause between them. */
const ATTEMPTS = 3;
const PAUSE_MS = 2_000;

/** Counts unexpected failures by key and delays the next attempt. */
export class Retries {
  readonly #failures = new Map<string, { readonly count: number; readonly notBefore: number }>();

  /** Returns false during the pause after a failure. */
  isDue(key: string): boolean {
    return Date.now() >= (this.#failures.get(key)?.notBefore ?? 0);
  }

  /** @returns whether to try again; after the last attempt the count restarts at 0. */
  recordFailure(key: string): 'retry' | 'give_up' {
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    if (count >= ATTEMPTS) {
      this.#failures.delete(key);
      return 'give_up';
    }
    this.#failures.set(key, { count, notBefore: Date.now() + PAUSE_MS });
    return 'retry';
  }
}
