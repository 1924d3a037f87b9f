import type { RouteEntry } from './route-table.js';

/** What a worker has to know about one service. */
export type ServedRoute = Omit<RouteEntry, 'name' | 'version'>;

export interface BusyBackend {
  readonly id: string;
  readonly port: number;
  readonly underWay: number;
}

export interface WorkerReport {
  /** Backends with requests under way, by service. */
  readonly busy: Readonly<Record<string, readonly BusyBackend[]>>;
  /** Bytes by service since the last report. */
  readonly traffic: Readonly<Record<string, number>>;
}

/** Accepts the connections of clients and forwards their requests. Every order may be given again. */
export interface TrafficWorker {
  /**
   * From now on new requests to this service go by this route, and its port is listened at.
   * @throws with code EADDRINUSE or EACCES where the port cannot be had.
   */
  serve(route: ServedRoute): Promise<void>;
  /** Closes the port of the service, and cuts what is under way. */
  withdraw(serviceId: string): Promise<void>;
  /** Services by custom domain: all that the shared port routes besides the services' own host names. */
  routeHosts(services: Readonly<Record<string, string>>): Promise<void>;
  /** Listens at the port where services answer by host name; 0 picks a free one. Resolves with the port. */
  openShared(port: number): Promise<number>;
  /** Resolves when nothing is under way on these backends, at the latest after `timeoutMs`; answers how much was cut. */
  drain(serviceId: string, backendIds: readonly string[], timeoutMs: number): Promise<number>;
  report(): Promise<WorkerReport>;
  /** Takes nothing new and finishes what is under way, within the time that the settings allow. */
  stop(): Promise<WorkerReport>;
}

/** All workers of a load balancer, as one. */
export interface Workers {
  /** False where somebody else has the port. */
  serve(route: ServedRoute): Promise<boolean>;
  withdraw(serviceId: string): Promise<void>;
  routeHosts(services: Readonly<Record<string, string>>): Promise<void>;
  /** @throws with code EADDRINUSE where somebody else has the port. */
  openShared(port: number): Promise<number>;
  drain(serviceId: string, backendIds: readonly string[], timeoutMs: number): Promise<number>;
  reports(): Promise<readonly WorkerReport[]>;
  stop(): Promise<readonly WorkerReport[]>;
  /** Ends all worker processes at once. */
  kill(): void;
  /** Services that a worker serves already, because it outlived the process that gave it orders. */
  served(): readonly string[];
  /** Told what a worker had counted that somebody else told to end. */
  onLast: (report: WorkerReport) => void;
  /** The processes that clients are connected to, the one for new connections first. */
  processIds(): readonly number[];
  /**
   * `restore` gives the workers all that they need to serve, whenever one of them is new; that one is among them after
   * the call of `include`. Resolves when all of them serve.
   */
  start(restore: (include: () => void) => Promise<void>): Promise<void>;
}
