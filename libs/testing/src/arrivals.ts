/** What a test server received, each handed out once; those who wait are told of it without polling. */
export class Arrivals<T> {
  readonly all: T[] = [];
  readonly #handedOut = new Set<T>();
  readonly #waiting = new Set<() => void>();

  add(arrival: T): void {
    this.all.push(arrival);
    for (const look of [...this.#waiting]) look();
  }

  /** Forgets everything. */
  clear(): void {
    this.all.length = 0;
    this.#handedOut.clear();
  }

  /**
   * The first that fits and was not handed out before. One that `fits` throws at does not fit.
   * @throws after the time limit, with the last error of `fits` as its cause.
   */
  next(fits: (arrival: T) => boolean, { what, timeoutMs = 10_000 }: { what: string; timeoutMs?: number }): Promise<T> {
    let lastError: unknown;
    const fitsSafely = (arrival: T) => {
      try {
        return fits(arrival);
      } catch (error) {
        lastError = error;
        return false;
      }
    };
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.all.find(arrival => !this.#handedOut.has(arrival) && fitsSafely(arrival));
        if (found === undefined) return;
        this.#handedOut.add(found);
        end();
        resolve(found);
      };
      const timer = setTimeout(() => {
        end();
        const because = lastError instanceof Error ? `: ${lastError.message}` : '';
        const waited = `waited ${timeoutMs} ms for ${what} that fits; ${this.all.length} came in${because}`;
        reject(new Error(waited, { cause: lastError }));
      }, timeoutMs);
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
