import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@postern/messaging';

/** Work that repeats for as long as the service runs; also the injection token. */
export class Tasks {
  readonly #stopping = new AbortController();
  readonly #loops = new Set<Promise<void>>();

  constructor(private readonly log: Log) {}

  /** Aborted when the service shuts down. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /**
   * Runs `task` now and again `intervalMs` after it has ended, so that it never overlaps itself. A task that throws is
   * logged and comes again at its time. The signal asks a long one to end early.
   */
  every(intervalMs: number, name: string, task: (signal: AbortSignal) => Promise<unknown>): void {
    const loop = this.#repeat(intervalMs, name, task);
    this.#loops.add(loop);
    void loop.finally(() => this.#loops.delete(loop));
  }

  /** Starts no task any more, and waits for those under way. */
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
        if (!signal.aborted) this.log.error({ err: error, task: name }, 'A repeating task failed; it will run again');
      }
      await pause(intervalMs, undefined, { signal }).catch(() => {});
    }
  }
}
