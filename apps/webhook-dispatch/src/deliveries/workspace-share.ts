import type { EndpointWorker } from './endpoint-worker.js';
import type { DueDelivery } from './ports.js';

/**
 * Concurrent requests to all endpoints of a workspace, and of one email service in it. One workspace cannot take the
 * connections of a process, however many email services it has, and one email service not those of its workspace.
 */
export const MAX_REQUESTS_OF_WORKSPACE = 128;
export const MAX_REQUESTS_OF_SERVICE = 64;

/** The endpoints of one workspace, which share limits of concurrent requests in turns. One process calls them all. */
export class WorkspaceShare {
  /** In the order of their turns. */
  readonly #workers = new Set<EndpointWorker>();
  readonly #requests = new Map<string, number>();
  #total = 0;

  /** The endpoints that share what is read for the workspace. */
  get size(): number {
    return this.#workers.size;
  }

  get workers(): Iterable<EndpointWorker> {
    return this.#workers;
  }

  add(worker: EndpointWorker): void {
    this.#workers.add(worker);
  }

  remove(worker: EndpointWorker): void {
    this.#workers.delete(worker);
  }

  /** The next request of each endpoint in turn, while the limits permit one. */
  *next(): Generator<readonly [EndpointWorker, DueDelivery]> {
    for (let started = true; started; ) {
      started = false;
      for (const worker of [...this.#workers]) {
        if (this.#total >= MAX_REQUESTS_OF_WORKSPACE) return;
        if (this.#requestsOf(worker.serviceId) >= MAX_REQUESTS_OF_SERVICE) continue;
        const delivery = worker.next();
        if (!delivery) continue;
        // The endpoint that was served last comes last the next time.
        this.#workers.delete(worker);
        this.#workers.add(worker);
        this.#count(worker.serviceId, 1);
        started = true;
        yield [worker, delivery];
      }
    }
  }

  /** A request to an endpoint of this email service is over. */
  onResponse(serviceId: string): void {
    this.#count(serviceId, -1);
  }

  #requestsOf(serviceId: string): number {
    return this.#requests.get(serviceId) ?? 0;
  }

  #count(serviceId: string, change: 1 | -1): void {
    this.#total += change;
    const requests = this.#requestsOf(serviceId) + change;
    if (requests === 0) this.#requests.delete(serviceId);
    else this.#requests.set(serviceId, requests);
  }
}
