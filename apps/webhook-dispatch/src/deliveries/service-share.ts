import type { EndpointWorker } from './endpoint-worker.js';
import type { ClaimedDelivery } from './ports.js';

/** Concurrent requests to all endpoints of an email service, so that one owner cannot hold all connections of a replica. */
export const MAX_REQUESTS_OF_SERVICE = 64;

/** The endpoints of one email service, which share a limit of concurrent requests in turns. */
export class ServiceShare {
  readonly #workers = new Set<EndpointWorker>();
  #requests = 0;

  add(worker: EndpointWorker): void {
    this.#workers.add(worker);
  }

  /** @returns whether the service has no other worker. */
  remove(worker: EndpointWorker): boolean {
    this.#workers.delete(worker);
    return this.#workers.size === 0;
  }

  /** The next request of each endpoint in turn, while the limits permit one. */
  *next(): Generator<readonly [EndpointWorker, ClaimedDelivery]> {
    for (let started = true; started; ) {
      started = false;
      for (const worker of [...this.#workers]) {
        if (this.#requests >= MAX_REQUESTS_OF_SERVICE) return;
        const delivery = worker.next();
        if (!delivery) continue;
        // The endpoint that was served last comes last the next time.
        this.#workers.delete(worker);
        this.#workers.add(worker);
        this.#requests += 1;
        started = true;
        yield [worker, delivery];
      }
    }
  }

  /** A request is over. */
  onResponse(): void {
    this.#requests -= 1;
  }
}
