import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AnswerCounts,
  type Backend,
  type BalancerRoute,
  balancerFolder,
  type ClosedReason,
  type CountedTraffic,
  NO_ANSWERS,
  type TrafficConfirmation,
} from '@postern/load-balancer-client';
import { type BalancerLog, reasonOf } from '../infrastructure/balancer-log.js';
import type { BalancerSettings } from '../settings.js';
import type { BusyBackend, WorkerReport, Workers } from '../workers/ports.js';
import { DurableFile } from './durable-file.js';
import { HostRoutes, hostRoutesShape } from './host-routes.js';
import { RefusedOrder } from './refused-order.js';
import {
  hostLabelOf,
  type RouteEntry,
  RouteTable,
  routeTableShape,
  withBackends,
  withoutTraffic,
} from './route-table.js';
import { listenOnFreePort, listenWithRetry } from './stable-ports.js';
import { TrafficCounters, trafficShape } from './traffic-counters.js';

const SAVE_TRAFFIC_EVERY_MS = 1_000;

/**
 * The control operations of the load balancer. Each is durable when it returns, and idempotent. Decision 59 compares
 * the load balancer with existing proxies.
 */
export class LoadBalancer {
  readonly #traffic: TrafficCounters;
  readonly #routes: RouteTable;
  readonly #hosts: HostRoutes;
  readonly #requests = new Map<string, number>();
  readonly #answers = new Map<string, AnswerCounts>();
  #sharedPort: number | undefined;
  #saving: NodeJS.Timeout | undefined;

  private constructor(
    private readonly settings: BalancerSettings,
    private readonly log: BalancerLog,
    private readonly workers: Workers,
  ) {
    const file = (name: string) => join(balancerFolder(settings.platformHome), name);
    const unreadable = (name: string) => (reason: string) =>
      log.warn({ file: file(name), reason }, 'This file cannot be read; starting without its contents');
    this.#routes = new RouteTable(new DurableFile(file('routes.json'), routeTableShape, unreadable('routes.json')));
    this.#traffic = new TrafficCounters(
      new DurableFile(file('traffic.json'), trafficShape, unreadable('traffic.json')),
    );
    this.#hosts = new HostRoutes(new DurableFile(file('hosts.json'), hostRoutesShape, unreadable('hosts.json')));
    workers.onLast = report => this.#count([report]);
  }

  /** Loads the routes from disk; every service is reachable at its port when this resolves. */
  static async start(settings: BalancerSettings, log: BalancerLog, workers: Workers): Promise<LoadBalancer> {
    const folder = balancerFolder(settings.platformHome);
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o700);
    const balancer = new LoadBalancer(settings, log, workers);
    await Promise.all([balancer.#routes.load(), balancer.#hosts.load(), balancer.#traffic.load()]);
    await workers.start(balancer.#restore);
    balancer.#saving = setInterval(() => void balancer.#saveTraffic(), SAVE_TRAFFIC_EVERY_MS);
    return balancer;
  }

  /** Returns the URL of the service, which stays the same until the service is removed. */
  async reserve(id: string, name: string): Promise<string> {
    let made = false;
    const make = async (): Promise<RouteEntry> => {
      const hostLabel = hostLabelOf(id, name);
      const entry: RouteEntry = { id, name, port: 0, hostLabel, version: 0, closed: 'not_deployed', backends: [] };
      const port = await listenOnFreePort(free => this.workers.serve({ ...entry, port: free }), id);
      made = true;
      return { ...entry, port };
    };
    const reserved = await this.#routes
      .change(id, found => found ?? make())
      .catch(async (error: unknown) => {
        if (made) await this.workers.withdraw(id);
        throw error;
      });
    return this.#urlOf(reserved!);
  }

  async switchTo(id: string, backends: readonly Backend[], version: number): Promise<void> {
    await this.#routes.change(id, found => withBackends(requireService(found, id), backends, version), this.#apply);
  }

  async close(id: string, reason: ClosedReason, version?: number): Promise<void> {
    await this.#routes.change(id, found => withoutTraffic(requireService(found, id), reason, version), this.#apply);
  }

  /** Returns the number of exchanges aborted at the deadline. */
  async drain(id: string, backendIds: readonly string[], timeoutMs: number): Promise<number> {
    const active = this.#routes.find(id)?.backends.find(backend => backendIds.includes(backend.id));
    if (active)
      throw new RefusedOrder(400, `backend ${active.id} still takes new requests: switch to other backends first`);
    return this.workers.drain(id, backendIds, timeoutMs);
  }

  /** Aborts requests in progress; call `drain` first to let them finish. */
  async remove(id: string): Promise<void> {
    await this.#routes.change(
      id,
      () => undefined,
      () => this.workers.withdraw(id),
    );
    this.#requests.delete(id);
    this.#answers.delete(id);
  }

  /** Routes exactly these host names on the shared port, in addition to the services' own. */
  async routeHosts(services: Readonly<Record<string, string>>): Promise<void> {
    await this.#routes.runExclusive(async () => {
      await this.#hosts.replace(services);
      await this.workers.routeHosts(this.#hosts.services());
    });
  }

  async routes(): Promise<BalancerRoute[]> {
    const reports = await this.#reports();
    return this.#routes.entries().map(entry => {
      const busy = busyOf(entry.id, reports);
      const isActive = (one: Backend) => entry.backends.some(backend => isSame(backend, one));
      const underWay = (one: Backend) => busy.find(backend => isSame(backend, one))?.underWay ?? 0;
      return {
        id: entry.id,
        name: entry.name,
        url: this.#urlOf(entry),
        listener: { host: this.#reachableHost, port: entry.port },
        version: entry.version,
        closed: entry.closed,
        requests: this.#requests.get(entry.id) ?? 0,
        answers: this.#answers.get(entry.id) ?? NO_ANSWERS,
        waiting: reports.reduce((sum, { waiting }) => sum + (waiting[entry.id] ?? 0), 0),
        backends: entry.backends.map(backend => ({ ...backend, underWay: underWay(backend) })),
        draining: busy.filter(backend => !isActive(backend)),
      };
    });
  }

  /** Process ids of the workers, the one for new connections first. */
  workerProcesses(): readonly number[] {
    return this.workers.processIds();
  }

  /** Counted bytes, including those that responses in progress have transferred so far. */
  async readTraffic(): Promise<CountedTraffic> {
    await this.#reports();
    return this.#traffic.counted();
  }

  async confirmTraffic(confirmation: TrafficConfirmation): Promise<void> {
    const isConfirmed = await this.#traffic.confirm(confirmation, id => this.#isReserved(id));
    if (!isConfirmed) throw new RefusedOrder(409, 'the epoch has changed: read the traffic again');
  }

  get sharedPort(): number | undefined {
    return this.#sharedPort;
  }

  /** Accepts no new requests and finishes those in progress within the configured time. */
  async stop(): Promise<void> {
    clearInterval(this.#saving);
    this.#count(await this.workers.stop());
    await this.#save();
  }

  readonly #apply = async (entry: RouteEntry | undefined): Promise<void> => {
    if (entry) await this.workers.serve(entry);
  };

  /** Blocks other orders, so that an included worker receives every later change. */
  readonly #restore = (include: () => void): Promise<void> =>
    this.#routes.runExclusive(async () => {
      include();
      const unknown = this.workers.served().filter(id => !this.#isReserved(id));
      await Promise.all(unknown.map(id => this.workers.withdraw(id)));
      const moved = await Promise.all(this.#routes.entries().map(entry => this.#resume(entry)));
      for (const entry of moved.flat()) await this.#routes.keep(entry);
      await this.workers.routeHosts(this.#hosts.services());
      await this.#openSharedPort();
    });

  /** Returns the entry, with a new port, if another process uses the previous one. */
  async #resume(entry: RouteEntry): Promise<RouteEntry[]> {
    const listen = (port: number) => this.workers.serve({ ...entry, port });
    if (await listenWithRetry(listen, entry.port)) return [];
    const port = await listenOnFreePort(listen, entry.id);
    this.log.warn({ webServiceId: entry.id, from: entry.port, to: port }, 'Port in use; moved to another');
    return [{ ...entry, port }];
  }

  async #openSharedPort(): Promise<void> {
    const { domain, sharedPort } = this.settings;
    if (!domain && sharedPort === 0) return;
    this.#sharedPort = await this.workers.openShared(this.#sharedPort ?? sharedPort);
  }

  #urlOf({ hostLabel, port }: RouteEntry): string {
    const { domain } = this.settings;
    if (domain) return `https://${hostLabel}.${domain}`;
    const reachable = this.#reachableHost;
    return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  }

  get #reachableHost(): string {
    const { host } = this.settings;
    return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  }

  #isReserved(id: string): boolean {
    return this.#routes.find(id) !== undefined;
  }

  async #reports(): Promise<readonly WorkerReport[]> {
    const reports = await this.workers.reports();
    this.#count(reports);
    return reports;
  }

  #count(reports: readonly WorkerReport[]): void {
    for (const { traffic, requests, answers } of reports) {
      for (const [id, bytes] of Object.entries(traffic)) this.#traffic.add(id, bytes);
      for (const [id, count] of Object.entries(requests)) this.#requests.set(id, (this.#requests.get(id) ?? 0) + count);
      for (const [id, answered] of Object.entries(answers))
        this.#answers.set(id, sumOf(this.#answers.get(id) ?? NO_ANSWERS, answered));
    }
  }

  async #saveTraffic(): Promise<void> {
    await this.#reports().catch(error => this.log.error(reasonOf(error), 'Bytes could not be counted'));
    await this.#save();
  }

  async #save(): Promise<void> {
    await this.#traffic.save().catch(error => this.log.error(reasonOf(error), 'Counted bytes could not be saved'));
  }
}

const isSame = (one: Backend, other: Backend): boolean =>
  one.id === other.id && one.host === other.host && one.port === other.port;

const sumOf = (one: AnswerCounts, other: AnswerCounts): AnswerCounts => ({
  count: one.count + other.count,
  serverErrors: one.serverErrors + other.serverErrors,
  responseMs: one.responseMs + other.responseMs,
});

/** Requests in progress on the service's backends, summed over all workers. */
const busyOf = (serviceId: string, reports: readonly WorkerReport[]): BusyBackend[] => {
  const sums = new Map<string, BusyBackend>();
  for (const backend of reports.flatMap(({ busy }) => busy[serviceId] ?? [])) {
    const key = `${backend.host} ${backend.port} ${backend.id}`;
    sums.set(key, { ...backend, underWay: backend.underWay + (sums.get(key)?.underWay ?? 0) });
  }
  return [...sums.values()];
};

/** A service is unknown if it was never reserved or has been removed. */
const requireService = (found: RouteEntry | undefined, id: string): RouteEntry => {
  if (!found) throw new RefusedOrder(404, `no service ${id} is reserved: reserve it first`);
  return found;
};
