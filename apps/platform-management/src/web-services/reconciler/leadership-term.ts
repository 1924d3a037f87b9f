import { BuildSlots } from './build-slots.js';

/** Wakes a waiting loop. A notification without a waiter ends the next wait immediately. */
export class WakeSignal {
  #notified = false;
  #wake: (() => void) | undefined;

  constructor(private readonly stop: AbortSignal) {
    stop.addEventListener('abort', () => this.notify(), { once: true });
  }

  notify(): void {
    this.#notified = true;
    this.#wake?.();
  }

  /** Resolves after a notification or after `timeoutMs`. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#notified && !this.stop.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
    }
    this.#wake = undefined;
    this.#notified = false;
  }
}

/** The state that all workers share while this process leads. */
export class LeadershipTerm {
  readonly slots: BuildSlots;
  /** Notified when there may be new work. */
  readonly changes: WakeSignal;
  /** Notified when the runtime must be compared with the events soon. */
  readonly scans: WakeSignal;

  /** @param lost aborts when this process no longer leads. */
  constructor(
    concurrentBuilds: number,
    readonly lost: AbortSignal,
  ) {
    this.slots = new BuildSlots(concurrentBuilds);
    this.changes = new WakeSignal(lost);
    this.scans = new WakeSignal(lost);
  }

  get isOver(): boolean {
    return this.lost.aborted;
  }
}
