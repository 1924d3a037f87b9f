/** Limits concurrent work. Further work waits in order; a caller that stops waiting does not delay the others. */
export class ConcurrencyLimit {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(width: number) {
    this.#free = width;
  }

  /** @throws the signal's reason if it is aborted while waiting; the work has to observe the signal itself. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  #pass(): void {
    const [first] = this.#waiting;
    if (first) {
      this.#waiting.delete(first);
      first();
    } else this.#free += 1;
  }
}
