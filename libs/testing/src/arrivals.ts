/** The items that a test server received, each returned once; waiting callers are notified without polling. */
export class Arrivals<T> {
  readonly all: T[] = [];
  readonly #handedOut = new Set<T>();
  readonly #waiting = new Set<() => void>();

  add(arrival: T): void {
    this.all.push(arrival);
    for (const check of [...this.#waiting]) check();
  }

  /** Removes all items. */
  clear(): void {
    this.all.length = 0;
    this.#handedOut.clear();
  }

  /**
   * The first item that fits and was not returned before. An item for which `fits` throws does not fit.
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
      const check = () => {
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
        this.#waiting.delete(check);
      };
      this.#waiting.add(check);
      check();
    });
  }
}
