import type { Backend } from '@postern/load-balancer-client';
import { BalancerUnavailable, type LoadBalancerClient, StaleRoute } from '@postern/load-balancer-client';

/** Where the traffic of one service goes. Every order to the load balancer is given after the one before. */
export class Traffic {
  #queue: Promise<unknown> = Promise.resolve();
  #version = 0;

  constructor(
    private readonly balancer: LoadBalancerClient,
    private readonly webServiceId: string,
  ) {}

  /** Makes sure that the service has its address. */
  async reserve(name: string): Promise<void> {
    await this.balancer.reserve(this.webServiceId, name);
  }

  /** Sends it to the backends that there are when it is this order's turn. */
  follow(backends: () => readonly Backend[]): Promise<void> {
    return this.#next(version => this.balancer.switchTo(this.webServiceId, backends(), version));
  }

  /** A load balancer that is away carries no traffic either; it is told when it is back. */
  async close(): Promise<void> {
    await this.#close().catch(unlessAway);
  }

  /** Waits for what is under way on backends that get nothing new any more. */
  async drain(backendIds: readonly string[], timeoutMs: number): Promise<void> {
    if (backendIds.length > 0) await this.balancer.drain(this.webServiceId, backendIds, timeoutMs).catch(unlessAway);
  }

  /** A reason that is there already says more. */
  async #close(): Promise<void> {
    const route = (await this.balancer.routes()).find(({ id }) => id === this.webServiceId);
    if (!route || route.closed) return;
    await this.#next(version => this.balancer.close(this.webServiceId, 'stopped', version));
  }

  #next(order: (version: number) => Promise<void>): Promise<void> {
    const turn = this.#queue.then(() => this.#newest(order));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /** The clock makes versions grow over restarts; where it was put back, the balancer says what the last one was. */
  async #newest(order: (version: number) => Promise<void>): Promise<void> {
    this.#version = Math.max(this.#version + 1, Date.now());
    try {
      await order(this.#version);
    } catch (error) {
      if (!(error instanceof StaleRoute)) throw error;
      const route = (await this.balancer.routes()).find(({ id }) => id === this.webServiceId);
      this.#version = (route?.version ?? this.#version) + 1;
      await order(this.#version);
    }
  }
}

const unlessAway = (error: unknown): void => {
  if (!(error instanceof BalancerUnavailable)) throw error;
};
