import type { RequestFrame } from '../frames.js';
import type { Log } from '../log.js';
import { RepeatedWarning } from '../repeated-warning.js';
import { CallerClocks } from './caller-clocks.js';

/** Measures how long requests were held up on their way, for example while this process was suspended. */
export class RequestDelays {
  readonly #callers = new CallerClocks();
  readonly #warnings: RepeatedWarning;

  constructor(log: Log) {
    this.#warnings = new RepeatedWarning(log);
  }

  /** @param caller the inbox of the calling process. */
  of({ d, w }: Pick<RequestFrame, 'd' | 'w'>, caller: string, subject: string): number {
    if (d === undefined) return 0;
    const delayMs = this.#callers.delayOf(caller, d - w, Date.now(), performance.now());
    if (delayMs >= w)
      this.#warnings.warn(
        'late',
        { subject, delayMs: Math.round(delayMs) },
        'A request arrived after its deadline: it was delayed, or the clock of its caller was set back',
      );
    return delayMs;
  }
}
