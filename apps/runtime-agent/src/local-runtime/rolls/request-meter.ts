import { type AnswerCounts, type BalancerRoute, NO_ANSWERS } from '@postern/load-balancer-client';
import type { AnswerRates } from '@postern/runtime';

interface Reading {
  readonly at: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly answers: AnswerCounts;
  readonly answerRates: AnswerRates;
  /** When a request began, waited or was in progress. */
  readonly usedAt: number;
}

/** Measures the requests of web services between two readings of the load balancer's routes. */
export class RequestMeter {
  readonly #readings = new Map<string, Reading>();

  /** @param now milliseconds of a monotonic clock. */
  read(routes: readonly BalancerRoute[], now: number): void {
    const known = new Set(routes.map(({ id }) => id));
    for (const id of this.#readings.keys()) if (!known.has(id)) this.#readings.delete(id);
    for (const { id, requests, answers, waiting, backends, draining } of routes) {
      const before = this.#readings.get(id) ?? { at: now, requests, answers, usedAt: now };
      // The load balancer counts from its start.
      const since = requests < before.requests ? requests : requests - before.requests;
      const isUsed = since > 0 || waiting > 0 || [...backends, ...draining].some(({ underWay }) => underWay > 0);
      const seconds = Math.max(1, now - before.at) / 1_000;
      this.#readings.set(id, {
        at: now,
        requests,
        perSecond: since / seconds,
        answers,
        answerRates: ratesOf(before.answers, answers, seconds),
        usedAt: isUsed ? now : before.usedAt,
      });
    }
  }

  /** Requests per second between the last two readings. */
  perSecond(webServiceId: string): number {
    return this.#readings.get(webServiceId)?.perSecond ?? 0;
  }

  /** The answers per second between the last two readings; undefined for an unknown service. */
  answerRates(webServiceId: string): AnswerRates | undefined {
    return this.#readings.get(webServiceId)?.answerRates;
  }

  /** How long there was no request; 0 if it is not known. */
  idleMs(webServiceId: string, now: number): number {
    return now - (this.#readings.get(webServiceId)?.usedAt ?? now);
  }
}

/** The load balancer counts from its start. */
const ratesOf = (before: AnswerCounts, now: AnswerCounts, seconds: number): AnswerRates => {
  const start = now.count < before.count ? NO_ANSWERS : before;
  return {
    perSecond: (now.count - start.count) / seconds,
    serverErrors: (now.serverErrors - start.serverErrors) / seconds,
    responseMs: (now.responseMs - start.responseMs) / seconds,
  };
};
