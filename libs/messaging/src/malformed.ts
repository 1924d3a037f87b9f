import { instruments } from './instruments.js';
import type { Log } from './log.js';
import { RepeatedWarning } from './repeated-warning.js';

/** Counts what could not be read and logs the first of a place, and then one a minute at most. */
export class MalformedReport {
  readonly #warnings: RepeatedWarning;

  constructor(log: Log) {
    this.#warnings = new RepeatedWarning(log);
  }

  /** @param where a request's subject, or what kind of message it was; never anything that a message says itself */
  note(where: string, problem: string, count = 1): void {
    instruments().malformed.add(count, { where });
    this.#warnings.warn(where, { where, problem }, 'A message could not be read and was refused');
  }
}
