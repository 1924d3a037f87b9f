import { setTimeout as pause } from 'node:timers/promises';

/** A request that was not answered as it should, for people. */
export type Failure = string;

export interface SteadyAnswers {
  readonly count: number;
  readonly failures: readonly Failure[];
  /** Different bodies in the order in which they were first received. */
  readonly bodies: readonly string[];
}

const EVERY_MS = 20;
/** However quick what happens meanwhile is. */
const AT_LEAST = 60;
const ANSWER_WITHIN_MS = 15_000;

/**
 * Fifty requests a second for as long as `during` takes, each started at its time whatever became of those before,
 * every other one over a connection of its own, and some that take a while.
 */
export const underSteadyRequests = async (url: string, during: () => Promise<unknown>): Promise<SteadyAnswers> => {
  const failures: Failure[] = [];
  const bodies = new Set<string>();
  const underWay = new Set<Promise<void>>();
  let count = 0;
  const ask = async (number: number) => {
    const slow = number % 5 === 0 ? '?ms=300' : '';
    const headers: Record<string, string> = number % 2 === 0 ? { connection: 'close' } : {};
    try {
      const response = await fetch(`${url}/${slow}`, { headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      const body = await response.text();
      if (response.status === 200) bodies.add(body);
      else failures.push(`${response.status} ${body.slice(0, 100)}`);
    } catch (error) {
      const { message, cause } = error as Error;
      failures.push(`${message} ${cause instanceof Error ? cause.message : ''}`.trim());
    }
  };
  const next = () => {
    const request = ask(count++).finally(() => underWay.delete(request));
    underWay.add(request);
  };
  const clock = setInterval(next, EVERY_MS);
  try {
    await during();
    while (count < AT_LEAST) await pause(EVERY_MS);
  } finally {
    clearInterval(clock);
    await Promise.all(underWay);
  }
  return { count, failures, bodies: [...bodies] };
};
