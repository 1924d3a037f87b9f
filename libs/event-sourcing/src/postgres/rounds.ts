/** After a wake-up the feed may still hide what was just committed, while an older transaction runs. */
const LOOK_AGAIN_MS = 5;
/** What was found is most often all there is, so the next look may come later. */
const LOOK_AGAIN_AFTER_WORK_MS = 20;
const MAX_BACKOFF_MS = 5_000;

export interface RoundsOptions {
  /** Does one round; answers whether it found anything to do. */
  readonly round: () => Promise<boolean>;
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
    while (!stop.aborted) {
      try {
        if (this.woken) this.next = LOOK_AGAIN_MS;
        this.woken = false;
        const worked = await this.options.round();
        failures = 0;
        if (worked) this.next = LOOK_AGAIN_AFTER_WORK_MS;
        else await this.rest(stop);
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
    this.next *= 2;
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
