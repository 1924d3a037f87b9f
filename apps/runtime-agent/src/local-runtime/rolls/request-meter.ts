import type { BalancerRoute } from '@postern/load-balancer-client';

interface Reading {
  readonly at: number;
  readonly requests: number;
  readonly perSecond: number;
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
    for (const { id, requests, waiting, backends, draining } of routes) {
      const before = this.#readings.get(id) ?? { at: now, requests, usedAt: now };
      // The load balancer counts from its start.
      const since = requests < before.requests ? requests : requests - before.requests;
      const isUsed = since > 0 || waiting > 0 || [...backends, ...draining].some(({ underWay }) => underWay > 0);
      const perSecond = (since * 1_000) / Math.max(1, now - before.at);
      this.#readings.set(id, { at: now, requests, perSecond, usedAt: isUsed ? now : before.usedAt });
    }
  }

  /** Requests per second between the last two readings. */
  perSecond(webServiceId: string): number {
    return this.#readings.get(webServiceId)?.perSecond ?? 0;
  }

  /** How long there was no request; 0 if it is not known. */
  idleMs(webServiceId: string, now: number): number {
    return now - (this.#readings.get(webServiceId)?.usedAt ?? now);
  }
}
