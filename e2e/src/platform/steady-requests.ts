import { setTimeout as pause } from 'node:timers/promises';

/** A description of a request without the expected response. */
export type Failure = string;

export interface SteadyAnswers {
  readonly count: number;
  readonly failures: readonly Failure[];
  /** Distinct bodies in the order of their first response. */
  readonly bodies: readonly string[];
  /** Durations of requests that the web service answers immediately. */
  readonly milliseconds: readonly number[];
}

export interface SteadyRate {
  readonly perSecond?: number;
  /** Minimum number of requests, even if `during` ends early. */
  readonly atLeast?: number;
}

const TICK_MS = 10;
const ANSWER_WITHIN_MS = 15_000;
/** After a pause of this process, requests that are due must not exceed the load balancer's connections per address. */
const MAX_IN_PROGRESS = 100;

/**
 * Sends requests at a steady rate while `during` runs, each at its time, independent of the previous ones unless many
 * are in progress. Every second request uses a new connection, every third is a POST, and every fifth takes 300 ms.
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
  const sendRequest = async (number: number) => {
    const slow = number % 5 === 0 ? '?ms=300' : '';
    const headers: Record<string, string> = number % 2 === 0 ? { connection: 'close' } : {};
    const sent = number % 3 === 0 ? { method: 'POST', body: `order ${number}` } : {};
    const startedAt = performance.now();
    try {
      const response = await fetch(`${url}/${slow}`, {
        ...sent,
        headers,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
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
    while (count <= due && underWay.size < MAX_IN_PROGRESS) {
      const request = sendRequest(count++).finally(() => underWay.delete(request));
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

/** The reason that fetch reports for a request without a response. */
export const reasonOf = (error: unknown): Failure => {
  const { message, cause } = error as Error;
  return `${message} ${cause instanceof Error ? cause.message : ''}`.trim();
};
