import { setTimeout as pause } from 'node:timers/promises';

interface ExponentialDelays {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Growing delays between attempts, for loops that retry any failure, reset after a success and stop by a signal. The SDK and
 * `@postern/event-sourcing` have their own, because they import no other library.
 *
 * Not p-retry 9: it wraps a single call and never retries a TypeError, which would end a loop permanently. Not cockatiel 4: it
 * replaces only the arithmetic, `next()`, and brings policies for 60 kB.
 */
export class Backoff {
  #attempt = 0;

  private constructor(private readonly delayOf: (attempt: number) => number) {}

  /** Doubles the delay from `firstMs` up to `maxMs`. `jitter` varies each delay between half and one and a half. */
  static exponential({ jitter = false, ...delays }: ExponentialDelays & { readonly jitter?: boolean }): Backoff {
    return new Backoff(attempt => Backoff.exponentialAt(attempt, delays) * (jitter ? 0.5 + Math.random() : 1));
  }

  /** The doubled delay after `failures` earlier ones. */
  static exponentialAt(failures: number, { firstMs, maxMs }: ExponentialDelays): number {
    return Math.min(firstMs * 2 ** failures, maxMs);
  }

  /** Follows a list of delays; the last one repeats. */
  static schedule(delaysMs: readonly [number, ...number[]]): Backoff {
    return new Backoff(attempt => Backoff.delayAt(attempt, delaysMs));
  }

  /** The delay of a list after `failures` earlier ones; the last one repeats. */
  static delayAt(failures: number, delaysMs: readonly [number, ...number[]]): number {
    return delaysMs[Math.min(failures, delaysMs.length - 1)] ?? delaysMs[0];
  }

  /** The delay before the next attempt, in milliseconds. */
  next(): number {
    return this.delayOf(this.#attempt++);
  }

  /** To be called after a success: the next delay is the first one again. */
  reset(): void {
    this.#attempt = 0;
  }

  /** Waits for the next delay, or until `signal` aborts. */
  async pause(signal?: AbortSignal): Promise<void> {
    await pause(this.next(), undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}
