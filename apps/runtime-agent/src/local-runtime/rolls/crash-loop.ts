/** Failures that are this close together belong to one loop; the pauses between restarts are shorter. */
const WINDOW_MS = 120_000;
/** For each instance: one or two failures are accidents. */
const RESTARTS = 3;
/** The pauses between restarts double, so the next failure of a loop comes within this multiple of the longest one. */
const PATIENCE = 2.5;

/** Tells a service whose instances fail again and again from one whose instance has failed. */
export class CrashLoop {
  #failures: number[] = [];

  /** @param now milliseconds of a steady clock. */
  record(now: number): void {
    this.#failures = [...this.#recent(now), now];
  }

  /** For people; undefined where instances stay. */
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
