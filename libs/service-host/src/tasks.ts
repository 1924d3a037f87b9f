import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@postern/messaging';

/** Repeats work while the service runs; also the injection token. */
export class Tasks {
  readonly #stopping = new AbortController();
  readonly #loops = new Set<Promise<void>>();

  constructor(private readonly log: Log) {}

  /** Aborted when the service shuts down. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /**
   * Runs `task` immediately, and again `intervalMs` after each end, so that it never overlaps. Errors are logged and do
   * not stop the repetition. The signal asks a long task to end early.
   */
  every(intervalMs: number, name: string, task: (signal: AbortSignal) => Promise<unknown>): void {
    const loop = this.#repeat(intervalMs, name, task);
    this.#loops.add(loop);
    void loop.finally(() => this.#loops.delete(loop));
  }

  /** Stops repeating and waits for running tasks. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops);
  }

  async #repeat(intervalMs: number, name: string, task: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await task(signal);
      } catch (error) {
        if (!signal.aborted) this.log.error({ err: error, task: name }, 'A repeating task failed; it will be repeated');
      }
      await pause(intervalMs, undefined, { signal }).catch(() => {});
    }
  }
}
