import type { Backend, BalancerRoute } from '@postern/load-balancer-client';
import { BalancerUnavailable, type LoadBalancerClient, StaleRoute } from '@postern/load-balancer-client';
import pLimit from 'p-limit';

/** The route of one web service in the load balancer. Orders are sent one after another. */
export class Traffic {
  readonly #oneAtATime = pLimit(1);
  #version = 0;

  constructor(
    private readonly balancer: LoadBalancerClient,
    private readonly webServiceId: string,
  ) {}

  /** Reserves the service's address, and returns its host as visitors send it. */
  async reserve(name: string): Promise<string> {
    return hostOf(await this.balancer.reserve(this.webServiceId, name));
  }

  /** Routes to the backends that exist when the order is sent. */
  follow(backends: () => readonly Backend[]): Promise<void> {
    return this.#oneAtATime(() =>
      this.#newest(version => this.balancer.switchTo(this.webServiceId, backends(), version)),
    );
  }

  /** Lets new requests wait until the next backends. */
  async sleep(): Promise<void> {
    await this.#oneAtATime(() => this.#newest(version => this.balancer.close(this.webServiceId, 'asleep', version)));
  }

  /** Closes the route. A load balancer that is unavailable carries no traffic; the next reconciliation closes the route. */
  async close(): Promise<void> {
    await this.#close().catch(unlessUnavailable);
  }

  /** Waits until backends without new requests have answered those in progress. */
  async drain(backendIds: readonly string[], timeoutMs: number): Promise<void> {
    if (backendIds.length > 0)
      await this.balancer.drain(this.webServiceId, backendIds, timeoutMs).catch(unlessUnavailable);
  }

  /** Routes to no backend, so that all can be drained. */
  async clear(): Promise<void> {
    const cleared = this.#oneAtATime(async () => {
      const route = await this.#route();
      if (!route || route.closed || route.backends.length === 0) return;
      await this.#newest(version => this.balancer.switchTo(this.webServiceId, [], version));
    });
    await cleared.catch(unlessUnavailable);
  }

  /** Closes the route. A route that is already closed keeps its reason, unless requests wait there. */
  #close(): Promise<void> {
    return this.#oneAtATime(async () => {
      const route = await this.#route();
      if (!route || (route.closed && route.closed !== 'asleep')) return;
      await this.#newest(version => this.balancer.close(this.webServiceId, 'stopped', version));
    });
  }

  async #route(): Promise<BalancerRoute | undefined> {
    return (await this.balancer.routes()).find(({ id }) => id === this.webServiceId);
  }

  /**
   * Versions come from the clock so that they grow across restarts. After the clock was set back, they continue from
   * the balancer's last version.
   */
  async #newest(order: (version: number) => Promise<void>): Promise<void> {
    this.#version = Math.max(this.#version + 1, Date.now());
    try {
      await order(this.#version);
    } catch (error) {
      if (!(error instanceof StaleRoute)) throw error;
      const route = await this.#route();
      this.#version = (route?.version ?? this.#version) + 1;
      await order(this.#version);
    }
  }
}

/** The host of a URL, with its port unless it is the usual one. */
export const hostOf = (url: string): string => new URL(url).host;

export const sameBackends = (some: readonly Backend[], others: readonly Backend[]): boolean =>
  some.length === others.length &&
  some.every(({ id, port }) => others.some(other => other.id === id && other.port === port));

const unlessUnavailable = (error: unknown): void => {
  if (!(error instanceof BalancerUnavailable)) throw error;
};
