const SECOND_MS = 1_000;

/** Limits how many requests start within any second, also over processes that follow each other. */
export class RateLimit {
  /** Undefined without a limit. */
  perSecond: number | undefined;
  /** Since when it counts all requests; it assumes that another process used the limit up until then. */
  sinceMs = 0;
  /** The latest starts, oldest first. */
  readonly #starts: number[] = [];

  /** Until the next start is permitted; 0 if it is now. */
  waitMs(nowMs: number): number {
    if (this.perSecond === undefined) return 0;
    const latest = Math.max(this.#starts.at(-this.perSecond) ?? Number.NEGATIVE_INFINITY, this.sinceMs);
    return Math.max(0, latest + SECOND_MS - nowMs);
  }

  started(atMs: number): void {
    if (this.perSecond === undefined) return;
    this.#starts.push(atMs);
    if (this.#starts.length > this.perSecond) this.#starts.splice(0, this.#starts.length - this.perSecond);
  }

  /** Whether its starts no longer count. */
  isOver(nowMs: number): boolean {
    return nowMs - (this.#starts.at(-1) ?? Number.NEGATIVE_INFINITY) > SECOND_MS;
  }
}
