/** So many things at a time, in the order of asking; whoever stops waiting does not hold up those behind. */
export class Lane {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(width: number) {
    this.#free = width;
  }

  /** @throws the signal's reason when it comes while waiting; the work itself has to heed the signal on its own. */
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
