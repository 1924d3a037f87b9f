/** After a wake-up the feed may still hide what was just committed, while an older transaction runs. */
const LOOK_AGAIN_MS = 5;
const LOOK_AGAIN_TIMES = 10;
const MAX_BACKOFF_MS = 5_000;

export interface RoundsOptions {
  /** Does one round; answers whether it found anything to do. */
  readonly round: () => Promise<boolean>;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}

/** Repeats rounds of work: at once while there is some, soon after a wake-up, else at every poll; backs off on errors. */
export class Rounds {
  private wakeUp: (() => void) | undefined;
  private eager = 0;

  constructor(private readonly options: RoundsOptions) {}

  /** There may be something to do. */
  wake(): void {
    this.eager = LOOK_AGAIN_TIMES;
    this.wakeUp?.();
  }

  async run(stop: AbortSignal): Promise<void> {
    let failures = 0;
    while (!stop.aborted) {
      try {
        const worked = await this.options.round();
        failures = 0;
        if (worked) continue;
        await this.pause(this.eager-- > 0 ? LOOK_AGAIN_MS : this.options.pollMs, stop);
      } catch (error) {
        if (stop.aborted) return;
        this.options.onError(error);
        await this.pause(Math.min(this.options.pollMs * 2 ** failures++, MAX_BACKOFF_MS), stop);
      }
    }
  }

  private pause(ms: number, stop: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', done);
        this.wakeUp = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      stop.addEventListener('abort', done, { once: true });
      // Looking again soon needs no wake-up; it would only turn one pause into many.
      if (ms > LOOK_AGAIN_MS) this.wakeUp = done;
      if (stop.aborted) done();
    });
  }
}
