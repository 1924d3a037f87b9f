import { setTimeout as pause } from 'node:timers/promises';

/** A request that was not answered as it should, for people. */
export type Failure = string;

export interface SteadyAnswers {
  readonly count: number;
  readonly failures: readonly Failure[];
  /** Different bodies in the order in which they were first received. */
  readonly bodies: readonly string[];
  /** How long those took that the web service answers at once. */
  readonly milliseconds: readonly number[];
}

export interface SteadyRate {
  readonly perSecond?: number;
  /** However quick what happens meanwhile is. */
  readonly atLeast?: number;
}

const TICK_MS = 10;
const ANSWER_WITHIN_MS = 15_000;

/**
 * Requests at a steady rate for as long as `during` takes, each started at its time whatever became of those before,
 * every other one over a connection of its own, and some that take a while.
 */
export const underSteadyRequests = async (
  url: string,
  during: () => Promise<unknown>,
  { perSecond = 50, atLeast = 60 }: SteadyRate = {},
): Promise<SteadyAnswers> => {
  const failures: Failure[] = [];
  const bodies = new Set<string>();
  const milliseconds: number[] = [];
  const underWay = new Set<Promise<void>>();
  let count = 0;
  const ask = async (number: number) => {
    const slow = number % 5 === 0 ? '?ms=300' : '';
    const headers: Record<string, string> = number % 2 === 0 ? { connection: 'close' } : {};
    const startedAt = performance.now();
    try {
      const response = await fetch(`${url}/${slow}`, { headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      const body = await response.text();
      if (slow === '') milliseconds.push(performance.now() - startedAt);
      if (response.status === 200) bodies.add(body);
      else failures.push(`${response.status} ${body.slice(0, 100)}`);
    } catch (error) {
      failures.push(reasonOf(error));
    }
  };
  const startedAt = performance.now();
  const startDue = () => {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000);
    while (count <= due) {
      const request = ask(count++).finally(() => underWay.delete(request));
      underWay.add(request);
    }
  };
  const clock = setInterval(startDue, TICK_MS);
  try {
    await during();
    while (count < atLeast) await pause(TICK_MS);
  } finally {
    clearInterval(clock);
    await Promise.all(underWay);
  }
  return { count, failures, bodies: [...bodies], milliseconds };
};

/** What fetch reports of a request without an answer. */
export const reasonOf = (error: unknown): Failure => {
  const { message, cause } = error as Error;
  return `${message} ${cause instanceof Error ? cause.message : ''}`.trim();
};
