/** Failures within this time belong to one loop. The pauses between restarts are shorter. */
const WINDOW_MS = 120_000;
/** Failures per instance that make a crash loop. */
const RESTARTS = 3;
/** The pauses between restarts double, so the next failure of a loop occurs within this multiple of the longest one. */
const PATIENCE = 2.5;

/** Distinguishes repeated failures of the instances of a web service from single failures. */
export class CrashLoop {
  #failures: number[] = [];

  /** @param now milliseconds of a monotonic clock. */
  record(now: number): void {
    this.#failures = [...this.#recent(now), now];
  }

  /** A description for users; undefined if there is no crash loop. */
  describe(instances: number, now: number): string | undefined {
    const failures = this.#recent(now);
    if (failures.length < RESTARTS * Math.max(1, instances)) return undefined;
    const gaps = failures.slice(1).map((at, index) => at - failures[index]!);
    if (now - failures.at(-1)! > PATIENCE * Math.max(...gaps)) return undefined;
    const seconds = Math.max(1, Math.round((now - failures[0]!) / 1_000));
    return `restarted ${failures.length} times in ${seconds} s`;
  }

  #recent(now: number): number[] {
    return this.#failures.filter(at => now - at < WINDOW_MS);
  }
}
