import { isTaken } from './port-claim.js';
import type { ServedRoute, Worker, WorkerReport, Workers } from './ports.js';

/** One worker inside the main process, for systems where processes cannot share a port. */
export class SingleProcessWorkers implements Workers {
  onLast: (report: WorkerReport) => void = () => undefined;

  constructor(private readonly worker: Worker) {}

  start(restore: (include: () => void) => Promise<void>): Promise<void> {
    return restore(() => undefined);
  }

  async serve(route: ServedRoute): Promise<boolean> {
    try {
      await this.worker.serve(route);
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      throw error;
    }
  }

  withdraw(serviceId: string): Promise<void> {
    return this.worker.withdraw(serviceId);
  }

  routeHosts(services: Readonly<Record<string, string>>): Promise<void> {
    return this.worker.routeHosts(services);
  }

  openShared(port: number): Promise<number> {
    return this.worker.openShared(port);
  }

  drain(serviceId: string, backendIds: readonly string[], timeoutMs: number): Promise<number> {
    return this.worker.drain(serviceId, backendIds, timeoutMs);
  }

  async reports(): Promise<readonly WorkerReport[]> {
    return [await this.worker.report()];
  }

  async stop(): Promise<readonly WorkerReport[]> {
    return [await this.worker.stop()];
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
