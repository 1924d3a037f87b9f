/** Callers are processes; beyond this number the one that was heard of longest ago is forgotten. */
const MAX_CALLERS = 1_024;
/** A caller whose requests all seem late for this long has a clock that was set back, and no slow network. */
const ADJUST_AFTER_MS = 10_000;
/** Requests of a caller that differ by less are not called late. */
const TOLERANCE_MS = 100;

interface Caller {
  /** The least difference seen between the clock of this process and that of the caller, transport included. */
  offsetMs: number;
  /** Since when every request seemed late, and the least lateness since then. */
  late: { readonly since: number; leastMs: number } | undefined;
}

/**
 * How long requests were on their way, by the clock of each caller, which may differ from the clock of this process by
 * any amount: the request of a caller with the least difference was not delayed, and others are compared with it.
 */
export class CallerClocks {
  readonly #callers = new Map<string, Caller>();

  /**
   * The delay of a request beyond the usual transport; 0 for the first one of a caller.
   * @param sentAt by the clock of the caller.
   * @param now by the clock of this process.
   * @param monotonicNow of this process.
   */
  delayOf(caller: string, sentAt: number, now: number, monotonicNow: number): number {
    const differenceMs = now - sentAt;
    const known = this.#callers.get(caller) ?? { offsetMs: differenceMs, late: undefined };
    this.#callers.delete(caller);
    this.#callers.set(caller, known);
    if (this.#callers.size > MAX_CALLERS) this.#callers.delete(this.#callers.keys().next().value!);
    if (differenceMs < known.offsetMs) known.offsetMs = differenceMs;
    const delayMs = differenceMs - known.offsetMs;
    if (delayMs <= TOLERANCE_MS) {
      known.late = undefined;
      return 0;
    }
    known.late ??= { since: monotonicNow, leastMs: delayMs };
    known.late.leastMs = Math.min(known.late.leastMs, delayMs);
    if (monotonicNow - known.late.since < ADJUST_AFTER_MS) return delayMs;
    known.offsetMs += known.late.leastMs;
    known.late = undefined;
    return differenceMs - known.offsetMs;
  }
}
