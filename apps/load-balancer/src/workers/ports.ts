import type { AnswerCounts, Backend, ClosedReason } from '@postern/load-balancer-client';

/** The part of a service's route that a worker needs. */
export interface ServedRoute {
  readonly id: string;
  readonly port: number;
  /** First label of the service's host name. */
  readonly hostLabel: string;
  readonly backends: readonly Backend[];
  /** Why the service deliberately does not respond; null while it is open. */
  readonly closed: ClosedReason | null;
}

export interface BusyBackend {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly underWay: number;
}

export interface WorkerReport {
  /** Backends with requests in progress, by service. */
  readonly busy: Readonly<Record<string, readonly BusyBackend[]>>;
  /** Bytes by service since the last report. */
  readonly traffic: Readonly<Record<string, number>>;
  /** Requests by service since the last report. */
  readonly requests: Readonly<Record<string, number>>;
  /** Answers by service since the last report. */
  readonly answers: Readonly<Record<string, AnswerCounts>>;
  /** Requests that wait for a service that is asleep, by service. */
  readonly waiting: Readonly<Record<string, number>>;
}

/** Accepts client connections and forwards their requests. Every operation is idempotent. */
export interface Worker {
  /** Ports on which the worker listens, by service. */
  readonly ports: ReadonlyMap<string, number>;
  /** The port where services answer by host name; undefined until it is open. */
  readonly sharedPort: number | undefined;
  /**
   * Sends new requests to this service by this route from now on, and listens on its port.
   * @throws with code EADDRINUSE or EACCES if the port is unavailable.
   */
  serve(route: ServedRoute): Promise<void>;
  /** Closes the port of the service and aborts its requests in progress. */
  withdraw(serviceId: string): Promise<void>;
  /** Services by custom domain: the only names that the shared port routes besides the services' own. */
  routeHosts(services: Readonly<Record<string, string>>): Promise<void>;
  /** Listens on the port where services answer by host name; 0 picks a free one. Resolves with the port. */
  openShared(port: number): Promise<number>;
  /** Resolves when these backends are idle, or after `timeoutMs`, with the number of exchanges aborted. */
  drain(serviceId: string, backendIds: readonly string[], timeoutMs: number): Promise<number>;
  report(): Promise<WorkerReport>;
  /** Accepts no new requests and finishes those in progress within the configured time. */
  stop(): Promise<WorkerReport>;
}

/** All workers of a load balancer behind one interface. */
export interface Workers {
  /** Resolves with false if another process uses the port. */
  serve(route: ServedRoute): Promise<boolean>;
  withdraw(serviceId: string): Promise<void>;
  routeHosts(services: Readonly<Record<string, string>>): Promise<void>;
  /** @throws with code EADDRINUSE if another process uses the port. */
  openShared(port: number): Promise<number>;
  drain(serviceId: string, backendIds: readonly string[], timeoutMs: number): Promise<number>;
  reports(): Promise<readonly WorkerReport[]>;
  stop(): Promise<readonly WorkerReport[]>;
  /** Kills all worker processes. */
  kill(): void;
  /** Services that a worker already serves, because it outlived its main process. */
  served(): readonly string[];
  /** Called with the last report of a worker that another process stopped. */
  onLast: (report: WorkerReport) => void;
  /** Process ids of the workers, the one for new connections first. */
  processIds(): readonly number[];
  /**
   * `restore` configures the workers whenever one of them is new; the new one receives orders after the call of
   * `include`. Resolves when all workers serve.
   */
  start(restore: (include: () => void) => Promise<void>): Promise<void>;
}
