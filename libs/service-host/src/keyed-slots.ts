interface Slots {
  running: number;
  readonly waiting: (() => void)[];
}

/** Runs a limited number of tasks at a time for each key; further ones wait in order of arrival. */
export class KeyedSlots {
  readonly #slots = new Map<string, Slots>();

  constructor(private readonly limits: { readonly running: number; readonly waiting: number }) {}

  /** @throws `busy()` without running `task` if too many tasks of the key are waiting. */
  async run<Result>(key: string, task: () => Promise<Result>, busy: () => Error): Promise<Result> {
    const slots = this.#slots.get(key) ?? { running: 0, waiting: [] };
    this.#slots.set(key, slots);
    if (slots.running < this.limits.running) slots.running += 1;
    else if (slots.waiting.length >= this.limits.waiting) throw busy();
    else await new Promise<void>(resolve => slots.waiting.push(resolve));
    try {
      return await task();
    } finally {
      this.#release(key, slots);
    }
  }

  /** Passes the slot to the task that has waited longest. */
  #release(key: string, slots: Slots): void {
    const next = slots.waiting.shift();
    if (next) next();
    else slots.running -= 1;
    if (slots.running === 0) this.#slots.delete(key);
  }
}
