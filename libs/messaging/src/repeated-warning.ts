import type { Log } from './log.js';

const QUIET_MS = 60_000;
/** Keys may come from outside; beyond this number the oldest is removed. */
const MAX_KEYS = 1_024;

/** Logs the first warning of a key, then at most one a minute with the number of suppressed ones. */
export class RepeatedWarning {
  readonly #seen = new Map<string, { loggedAt: number; leftOut: number }>();

  constructor(private readonly log: Log) {}

  warn(key: string, fields: object, message: string): void {
    const now = performance.now();
    const seen = this.#seen.get(key);
    if (seen && now - seen.loggedAt < QUIET_MS) {
      seen.leftOut += 1;
      return;
    }
    this.#seen.delete(key);
    this.#seen.set(key, { loggedAt: now, leftOut: 0 });
    if (this.#seen.size > MAX_KEYS) this.#seen.delete(this.#seen.keys().next().value!);
    this.log.warn(seen?.leftOut ? { ...fields, leftOut: seen.leftOut } : fields, message);
  }
}
