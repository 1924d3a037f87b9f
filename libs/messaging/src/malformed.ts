import { instruments } from './instruments.js';
import type { Log } from './log.js';
import { RepeatedWarning } from './repeated-warning.js';

/** Counts malformed messages, and logs the first of each kind and then at most one a minute. */
export class MalformedReport {
  readonly #warnings: RepeatedWarning;

  constructor(log: Log) {
    this.#warnings = new RepeatedWarning(log);
  }

  /** @param where the subject of a request or the kind of message; never content of a message */
  note(where: string, problem: string, count = 1): void {
    instruments().malformed.add(count, { where });
    this.#warnings.warn(where, { where, problem }, 'A message could not be read and was refused');
  }
}
