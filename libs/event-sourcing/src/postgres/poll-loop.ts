/** After a wake-up the feed may still hide new events while an older transaction runs. */
const POLL_AGAIN_MS = 5;
/** After work the next poll can be later, because usually nothing more is available. */
const POLL_AGAIN_AFTER_WORK_MS = 20;
const MAX_BACKOFF_MS = 5_000;

/**
 * The result of one poll: `more` found work and polls again at once; `caught_up` found all available work; `empty` found
 * none, but some may be hidden; `idle` found none and waits for a wake-up; `blocked` waits for another process.
 */
export type PollResult = 'more' | 'caught_up' | 'empty' | 'idle' | 'blocked';

export interface PollLoopOptions {
  readonly poll: () => Promise<PollResult>;
  readonly pollMs: number;
  /** The longest pause without a wake-up; defaults to `pollMs`. */
  readonly idleMs?: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Polls until it is stopped: at once while there is work, and after a wake-up at growing intervals up to `pollMs`. After
 * any error and while blocked it backs off; wake-ups do not shorten the backoff.
 *
 * Not p-retry: it never retries a TypeError, and a projection that throws one must be polled again.
 */
export class PollLoop {
  #endPause: (() => void) | undefined;
  #nextMs: number;
  #woken = false;

  constructor(private readonly options: PollLoopOptions) {
    this.#nextMs = options.pollMs;
  }

  /** Polls soon, because there may be work. */
  wake(): void {
    this.#woken = true;
    this.#endPause?.();
  }

  async run(stop: AbortSignal): Promise<void> {
    let failures = 0;
    let blocked = 0;
    while (!stop.aborted) {
      try {
        if (this.#woken) this.#nextMs = POLL_AGAIN_MS;
        this.#woken = false;
        const result = await this.options.poll();
        failures = 0;
        if (result === 'blocked') {
          await this.#backOff(blocked++, stop);
          continue;
        }
        blocked = 0;
        if (result === 'more' || result === 'caught_up') this.#nextMs = POLL_AGAIN_AFTER_WORK_MS;
        if (result === 'idle') this.#nextMs = this.options.pollMs;
        if (result !== 'more') await this.#rest(stop);
      } catch (error) {
        if (stop.aborted) return;
        this.options.onError(error);
        await this.#backOff(failures++, stop);
      }
    }
  }

  async #rest(stop: AbortSignal): Promise<void> {
    // A wake-up during the poll may have arrived after its read.
    if (this.#woken) this.#nextMs = POLL_AGAIN_MS;
    const { pollMs, idleMs = pollMs } = this.options;
    const ms = this.#nextMs < pollMs ? this.#nextMs : idleMs;
    this.#nextMs = Math.min(this.#nextMs * 2, pollMs);
    // A wake-up would turn the shortest pause into many polls.
    await this.#pause(ms, stop, ms > POLL_AGAIN_MS);
  }

  #backOff(attempt: number, stop: AbortSignal): Promise<void> {
    return this.#pause(Math.min(this.options.pollMs * 2 ** attempt, MAX_BACKOFF_MS), stop, false);
  }

  #pause(ms: number, stop: AbortSignal, wakeable: boolean): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', done);
        this.#endPause = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      stop.addEventListener('abort', done, { once: true });
      if (wakeable) this.#endPause = done;
      if (stop.aborted) done();
    });
  }
}
