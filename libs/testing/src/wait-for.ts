/** How long to wait, how often to poll, and the name of the condition. */
export interface WaitForOptions {
  timeoutMs?: number;
  /** By default a tenth of the time waited so far, at most 50 ms. */
  intervalMs?: number;
  /** The end of the timeout message "waited 5000 ms for …". A function is called at the time of the failure. */
  describe?: string | (() => string);
}

const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 50;

/** Frequent polls during a long wait would take CPU time from the awaited programs. */
const pauseAfter = (waitedMs: number): number => Math.min(Math.max(waitedMs / 10, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);

/**
 * Polls until the condition returns a truthy value, and returns it. A condition that throws is polled again; its
 * last error is the cause of the timeout error.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitForOptions = {},
): Promise<NonNullable<T>> {
  const { timeoutMs = 10_000, intervalMs, describe = 'a condition' } = options;
  const start = performance.now();
  const deadline = start + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const outcome = await condition();
      if (outcome) return outcome;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() >= deadline) {
      const what = typeof describe === 'function' ? describe() : describe;
      const because = lastError instanceof Error ? `: ${lastError.message}` : '';
      throw new Error(`waited ${timeoutMs} ms for ${what}${because}`, { cause: lastError });
    }
    await new Promise(resolve => setTimeout(resolve, intervalMs ?? pauseAfter(performance.now() - start)));
  }
}

/** Repeats an assertion until it passes and returns its value; after the timeout its last error is thrown. */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  options: Pick<WaitForOptions, 'timeoutMs' | 'intervalMs'> = {},
): Promise<T> {
  const { timeoutMs = 10_000, intervalMs } = options;
  const start = performance.now();
  const deadline = start + timeoutMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, intervalMs ?? pauseAfter(performance.now() - start)));
  }
}
