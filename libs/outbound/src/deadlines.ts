/** Something with a deadline. */
export interface Expiring {
  expire(): void;
}

/** One timer for any number of items with equal timeouts, which therefore expire in the order they were added. */
export class Deadlines {
  readonly #pending = new Map<Expiring, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly timeoutMs: number) {}

  add(item: Expiring): void {
    this.#pending.set(item, performance.now() + this.timeoutMs);
    if (!this.#timer) this.#schedule(this.timeoutMs);
  }

  delete(item: Expiring): void {
    this.#pending.delete(item);
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => this.#check(), ms).unref();
  }

  #check(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [item, deadline] of this.#pending) {
      if (deadline > now) {
        this.#schedule(Math.ceil(deadline - now));
        return;
      }
      this.#pending.delete(item);
      item.expire();
    }
  }
}
