/** What ends when its time is over. */
export interface Expiring {
  expire(): void;
}

/** One timer for any number of calls that all have equally long: the first to begin is the first to be over. */
export class Deadlines {
  private readonly waiting = new Map<Expiring, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly afterMs: number) {}

  add(call: Expiring): void {
    this.waiting.set(call, performance.now() + this.afterMs);
    if (!this.timer) this.wakeIn(this.afterMs);
  }

  delete(call: Expiring): void {
    this.waiting.delete(call);
  }

  private wakeIn(ms: number): void {
    this.timer = setTimeout(() => this.look(), ms).unref();
  }

  private look(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const [call, deadline] of this.waiting) {
      if (deadline > now) {
        this.wakeIn(Math.ceil(deadline - now));
        return;
      }
      this.waiting.delete(call);
      call.expire();
    }
  }
}
