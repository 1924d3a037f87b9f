import type { Backend } from '@postern/load-balancer-client';
import type { Log } from '@postern/messaging';
import type { Traffic } from './traffic.js';

const RETRY_MS = 1_000;

export interface TrafficFollowerOptions {
  readonly webServiceId: string;
  readonly traffic: Traffic;
  /** The healthy replicas of the serving replica set; undefined while none serves. */
  readonly backends: () => readonly Backend[] | undefined;
  readonly log: Log;
  readonly closed: AbortSignal;
}

/** Keeps the route of a web service equal to its healthy replicas. Retries when the load balancer rejects an update. */
export class TrafficFollower {
  #following: Promise<void> | undefined;
  #followAgain = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(private readonly options: TrafficFollowerOptions) {}

  /** Resolves when the route has been updated, or the load balancer has rejected the update. */
  follow(): Promise<void> {
    this.#followAgain = true;
    this.#following ??= this.#followChanges().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  /** Waits for an update in progress, and makes no further attempt. To be called after `closed` was aborted. */
  async detach(): Promise<void> {
    await this.#following;
    clearTimeout(this.#retry);
  }

  async #followChanges(): Promise<void> {
    const { traffic, backends, closed, webServiceId, log } = this.options;
    clearTimeout(this.#retry);
    while (this.#followAgain && backends() && !closed.aborted) {
      this.#followAgain = false;
      try {
        await traffic.follow(() => backends() ?? []);
      } catch (err) {
        log.warn({ err, webServiceId }, 'The load balancer did not accept an order; it will be retried');
        this.#retry = setTimeout(() => void this.follow(), RETRY_MS);
      }
    }
  }
}
