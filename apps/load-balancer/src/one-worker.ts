import { LocalWorker } from './local-worker.js';
import { isTaken } from './port-claim.js';
import type { BalancerSettings } from './settings.js';
import type { ServedRoute, WorkerReport, Workers } from './traffic-worker.js';

/** One worker in the load balancer's process, for systems where processes cannot share a port. */
export class OneWorker implements Workers {
  readonly #worker: LocalWorker;
  onLast: (report: WorkerReport) => void = () => undefined;

  constructor(settings: BalancerSettings) {
    this.#worker = new LocalWorker(settings, false);
  }

  start(restore: (include: () => void) => Promise<void>): Promise<void> {
    return restore(() => undefined);
  }

  async serve(route: ServedRoute): Promise<boolean> {
    try {
      await this.#worker.serve(route);
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      throw error;
    }
  }

  withdraw(serviceId: string): Promise<void> {
    return this.#worker.withdraw(serviceId);
  }

  routeHosts(services: Readonly<Record<string, string>>): Promise<void> {
    return this.#worker.routeHosts(services);
  }

  openShared(port: number): Promise<number> {
    return this.#worker.openShared(port);
  }

  drain(serviceId: string, backendIds: readonly string[], timeoutMs: number): Promise<number> {
    return this.#worker.drain(serviceId, backendIds, timeoutMs);
  }

  async reports(): Promise<readonly WorkerReport[]> {
    return [await this.#worker.report()];
  }

  async stop(): Promise<readonly WorkerReport[]> {
    return [await this.#worker.stop()];
  }

  kill(): void {
    // The worker ends with this process.
  }

  served(): readonly string[] {
    return [];
  }

  processIds(): readonly number[] {
    return [process.pid];
  }
}
