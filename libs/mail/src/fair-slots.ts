interface Waiter {
  readonly wake: (mayGoOn: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

/** The part of all slots that one owner cannot have, so that another one finds some free. */
const KEPT_FOR_OTHERS = 0.1;

/**
 * A limited number of slots for the work of several owners. Those who wait take turns, so that the work of one owner, however
 * much it is, delays that of another by one piece of work at most.
 */
export class FairSlots {
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  readonly #held = new Map<string, number>();
  readonly #mostOfOne: number;
  #taken = 0;

  constructor(private readonly limit: number) {
    this.#mostOfOne = limit - Math.floor(limit * KEPT_FOR_OTHERS);
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  /** Resolves with whether the owner has a slot, after at most this time; it must then be freed. */
  async take(owner: string, atMostMs: number): Promise<boolean> {
    if (this.#mayTake(owner)) {
      this.#count(owner, 1);
      return true;
    }
    return new Promise(resolve => {
      const timer = setTimeout(() => this.#release(owner, waiter, false), atMostMs);
      const waiter: Waiter = { wake: resolve, timer };
      const waiters = this.#waiting.get(owner) ?? new Set();
      this.#waiting.set(owner, waiters.add(waiter));
    });
  }

  /** The slot passes directly to the owner whose turn it is, so that no other caller can take it. */
  free(owner: string): void {
    this.#count(owner, -1);
    for (const [next, waiters] of this.#waiting) {
      const [first] = waiters;
      if (!first || !this.#mayTake(next)) continue;
      this.#count(next, 1);
      this.#release(next, first, true);
      // The owner that was served comes last the next time.
      if (this.#waiting.delete(next) && waiters.size > 0) this.#waiting.set(next, waiters);
      return;
    }
  }

  /** Nobody who waits gets a slot. */
  refuseAll(): void {
    for (const [owner, waiters] of [...this.#waiting])
      for (const waiter of [...waiters]) this.#release(owner, waiter, false);
  }

  #mayTake(owner: string): boolean {
    return this.#taken < this.limit && (this.#held.get(owner) ?? 0) < this.#mostOfOne;
  }

  #count(owner: string, change: 1 | -1): void {
    this.#taken += change;
    const held = (this.#held.get(owner) ?? 0) + change;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }

  #release(owner: string, waiter: Waiter, mayGoOn: boolean): void {
    clearTimeout(waiter.timer);
    const waiters = this.#waiting.get(owner);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(owner);
    waiter.wake(mayGoOn);
  }
}
