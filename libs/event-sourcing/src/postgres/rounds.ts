/** After a wake-up the feed may still hide what was just committed, while an older transaction runs. */
const LOOK_AGAIN_MS = 5;
/** What was found is most often all there is, so the next look may come later. */
const LOOK_AGAIN_AFTER_WORK_MS = 20;
const MAX_BACKOFF_MS = 5_000;

/**
 * What one round found: true for work, and perhaps more at once; `look_again` for all the work there was, while more
 * may show soon; false for nothing, though something may be hidden; `at_rest` where nothing shows before a wake-up;
 * `blocked` where the work has to wait for somebody else, which a wake-up does not shorten.
 */
export type RoundOutcome = boolean | 'look_again' | 'at_rest' | 'blocked';

export interface RoundsOptions {
  readonly round: () => Promise<RoundOutcome>;
  readonly pollMs: number;
  /** The longest pause without a wake-up; `pollMs` where nobody else watches. */
  readonly restMs?: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Repeats rounds of work: at once while there is some, after a wake-up ever less often until it polls again. On errors
 * it backs off, and wake-ups do not shorten that.
 */
export class Rounds {
  private wakeUp: (() => void) | undefined;
  private next: number;
  private woken = false;

  constructor(private readonly options: RoundsOptions) {
    this.next = options.pollMs;
  }

  /** There may be something to do. */
  wake(): void {
    this.woken = true;
    this.wakeUp?.();
  }

  async run(stop: AbortSignal): Promise<void> {
    let failures = 0;
    let blocked = 0;
    while (!stop.aborted) {
      try {
        if (this.woken) this.next = LOOK_AGAIN_MS;
        this.woken = false;
        const found = await this.options.round();
        failures = 0;
        if (found === 'blocked') {
          await this.pause(Math.min(this.options.pollMs * 2 ** blocked++, MAX_BACKOFF_MS), stop, false);
          continue;
        }
        blocked = 0;
        if (found === true || found === 'look_again') this.next = LOOK_AGAIN_AFTER_WORK_MS;
        if (found === 'at_rest') this.next = this.options.pollMs;
        if (found !== true) await this.rest(stop);
      } catch (error) {
        if (stop.aborted) return;
        this.options.onError(error);
        await this.pause(Math.min(this.options.pollMs * 2 ** failures++, MAX_BACKOFF_MS), stop, false);
      }
    }
  }

  private async rest(stop: AbortSignal): Promise<void> {
    // Woken during the round, perhaps after it had looked.
    if (this.woken) this.next = LOOK_AGAIN_MS;
    const { pollMs, restMs = pollMs } = this.options;
    const ms = this.next < pollMs ? this.next : restMs;
    this.next = Math.min(this.next * 2, this.options.pollMs);
    // Looking again soon needs no wake-up; it would only turn one pause into many.
    await this.pause(ms, stop, ms > LOOK_AGAIN_MS);
  }

  private pause(ms: number, stop: AbortSignal, wakeable: boolean): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', done);
        this.wakeUp = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      stop.addEventListener('abort', done, { once: true });
      if (wakeable) this.wakeUp = done;
      if (stop.aborted) done();
    });
  }
}
