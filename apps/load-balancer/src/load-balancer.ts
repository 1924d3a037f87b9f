import { chmod, mkdir } from 'node:fs/promises';
import type { BlockList } from 'node:net';
import { join } from 'node:path';
import { type Backend, type BalancerRoute, balancerFolder, type ClosedReason } from '@postern/load-balancer-client';
import type { BackendTarget } from './backend-target.js';
import { type BalancerLog, reasonOf } from './balancer-log.js';
import { DurableFile } from './durable-file.js';
import { HostRoutes, hostRoutesShape } from './host-routes.js';
import { Route } from './route.js';
import {
  hostLabelOf,
  type RouteEntry,
  RouteTable,
  routeTableShape,
  withBackends,
  withoutTraffic,
} from './route-table.js';
import { ServiceListener } from './service-listener.js';
import type { BalancerSettings } from './settings.js';
import { listenAnywhere, listenPatiently } from './stable-ports.js';
import { TrafficGauges } from './traffic-gauges.js';
import { TrafficLedger, trafficShape } from './traffic-ledger.js';

interface Service {
  readonly route: Route;
  readonly listener: ServiceListener;
}

const SAVE_TRAFFIC_EVERY_MS = 1_000;

/** The orders that the load balancer takes. Each is durable when it returns, and may be given again. */
export class LoadBalancer {
  readonly traffic: TrafficLedger;
  readonly #book: RouteTable;
  readonly #hosts: HostRoutes;
  readonly #gauges: TrafficGauges;
  readonly #services = new Map<string, Service>();
  #shared: ServiceListener | undefined;
  #sharedPort: number | undefined;
  #saving: NodeJS.Timeout | undefined;

  private constructor(
    private readonly settings: BalancerSettings,
    private readonly log: BalancerLog,
  ) {
    const file = (name: string) => join(balancerFolder(settings.platformHome), name);
    const unreadable = (name: string) => (reason: string) =>
      log.warn({ file: file(name), reason }, 'This file cannot be read; starting without what it held');
    this.#book = new RouteTable(new DurableFile(file('routes.json'), routeTableShape, unreadable('routes.json')));
    this.traffic = new TrafficLedger(new DurableFile(file('traffic.json'), trafficShape, unreadable('traffic.json')));
    this.#hosts = new HostRoutes(new DurableFile(file('hosts.json'), hostRoutesShape, unreadable('hosts.json')));
    this.#gauges = new TrafficGauges(this.traffic);
  }

  /** Loads the routes from disk; every service answers at its port when this returns. */
  static async start(settings: BalancerSettings, log: BalancerLog): Promise<LoadBalancer> {
    const folder = balancerFolder(settings.platformHome);
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o700);
    const balancer = new LoadBalancer(settings, log);
    await Promise.all([balancer.#book.load(), balancer.#hosts.load(), balancer.traffic.load()]);
    await balancer.#openSharedPort();
    await Promise.all(balancer.#book.entries().map(entry => balancer.#resume(entry)));
    balancer.#saving = setInterval(() => void balancer.#saveTraffic(), SAVE_TRAFFIC_EVERY_MS);
    return balancer;
  }

  /** The service's URL; the same for as long as it is not removed. */
  async reserve(id: string, name: string): Promise<string> {
    let listener: ServiceListener | undefined;
    const made = async (): Promise<RouteEntry> => {
      const route = new Route(id, this.settings.timeouts);
      listener = this.#listenerOf(() => route);
      const port = await listenAnywhere(listener, this.settings.host, id);
      this.#services.set(id, { route, listener });
      return { id, name, port, hostLabel: hostLabelOf(id, name), version: 0, closed: null, backends: [] };
    };
    const reserved = await this.#book
      .change(id, found => found ?? made())
      .catch(async (error: unknown) => {
        if (listener) this.#services.delete(id);
        await listener?.stop(Promise.resolve());
        throw error;
      });
    return this.#urlOf(reserved!);
  }

  async switchTo(id: string, backends: readonly Backend[], version: number): Promise<void> {
    await this.#book.change(id, found => withBackends(known(found, id), backends, version), this.#apply);
  }

  async close(id: string, reason: ClosedReason, version?: number): Promise<void> {
    await this.#book.change(id, found => withoutTraffic(known(found, id), reason, version), this.#apply);
  }

  /** Answers how many exchanges were cut at the deadline. */
  async drain(id: string, backendIds: readonly string[], timeoutMs: number): Promise<number> {
    const route = this.#services.get(id)?.route;
    if (!route) return 0;
    const active = route.active.find(target => backendIds.includes(target.id));
    if (active) throw new RefusedOrder(`backend ${active.id} still takes new requests; put others first`);
    return route.drain(backendIds, timeoutMs);
  }

  /** Cuts requests in progress; drain first to let them finish. */
  async remove(id: string): Promise<void> {
    await this.#book.change(
      id,
      () => undefined,
      () => {
        const service = this.#services.get(id);
        this.#services.delete(id);
        service?.route.switchTo([], null);
        void service?.listener.stop(Promise.resolve());
      },
    );
  }

  /** Routes these host names, and no others besides the services' own, on the shared port. */
  async routeHosts(services: Readonly<Record<string, string>>): Promise<void> {
    await this.#hosts.replace(services);
  }

  isKnown(id: string): boolean {
    return this.#book.find(id) !== undefined;
  }

  routes(): BalancerRoute[] {
    const described = ({ id, port, underWay }: BackendTarget) => ({ id, port, underWay: underWay.size });
    return this.#book.entries().map(entry => {
      const { active = [], retiring = [] } = this.#services.get(entry.id)?.route ?? {};
      return {
        id: entry.id,
        name: entry.name,
        url: this.#urlOf(entry),
        version: entry.version,
        closed: entry.closed,
        backends: active.map(described),
        draining: retiring.map(described),
      };
    });
  }

  /** Charges what long responses have moved so far. */
  countTraffic(): void {
    this.#gauges.settle();
  }

  get sharedPort(): number | undefined {
    return this.#sharedPort;
  }

  /** Takes nothing new and finishes what is under way, within the time that the settings allow. */
  async stop(): Promise<void> {
    clearInterval(this.#saving);
    let late: NodeJS.Timeout | undefined;
    const deadline = new Promise(resolve => {
      late = setTimeout(resolve, this.settings.timeouts.shutdownMs);
    });
    const services = [...this.#services.values()];
    const listeners = services.map(({ listener }) => listener);
    if (this.#shared) listeners.push(this.#shared);
    await Promise.all(listeners.map(listener => listener.stop(deadline)));
    clearTimeout(late);
    for (const { route } of services) route.switchTo([], null);
    await this.#saveTraffic();
  }

  readonly #apply = (entry: RouteEntry | undefined): void => {
    if (entry) this.#services.get(entry.id)?.route.switchTo(entry.backends, entry.closed);
  };

  /** Another port than the one before only where a stranger keeps that. */
  async #resume(entry: RouteEntry): Promise<void> {
    const route = new Route(entry.id, this.settings.timeouts);
    const listener = this.#listenerOf(() => route);
    route.switchTo(entry.backends, entry.closed);
    this.#services.set(entry.id, { route, listener });
    if (await listenPatiently(listener, entry.port, this.settings.host)) return;
    const port = await listenAnywhere(listener, this.settings.host, entry.id);
    this.log.warn({ webServiceId: entry.id, from: entry.port, to: port }, 'Its port is taken; the service moved');
    await this.#book.change(entry.id, found => found && { ...found, port });
  }

  async #openSharedPort(): Promise<void> {
    const { domain, sharedPort, host } = this.settings;
    if (!domain && sharedPort === 0) return;
    this.#shared = this.#listenerOf(asked => this.#routeOfHost(asked, domain), this.settings.trustedProxies);
    this.#sharedPort = await this.#shared.listen(sharedPort, host);
  }

  #routeOfHost(host: string, domain: string | undefined): Route | undefined {
    const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
    const custom = this.#hosts.serviceOf(name);
    if (custom !== undefined) return this.#services.get(custom)?.route;
    if (!domain || !name.endsWith(`.${domain}`)) return undefined;
    const label = name.slice(0, -domain.length - 1);
    const entry = this.#book.entries().find(({ hostLabel }) => hostLabel === label);
    return entry && this.#services.get(entry.id)?.route;
  }

  #listenerOf(routeOf: (host: string) => Route | undefined, trustedProxies?: BlockList): ServiceListener {
    return new ServiceListener({ timeouts: this.settings.timeouts, gauges: this.#gauges, routeOf, trustedProxies });
  }

  #urlOf({ hostLabel, port }: RouteEntry): string {
    const { domain, host } = this.settings;
    if (domain) return `https://${hostLabel}.${domain}`;
    const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  }

  async #saveTraffic(): Promise<void> {
    this.#gauges.settle();
    await this.traffic.save().catch(error => this.log.error(reasonOf(error), 'Counted bytes could not be saved'));
  }
}

/** An order that cannot be carried out as things stand. */
export class RefusedOrder extends Error {
  override readonly name = 'RefusedOrder';
}

/** An order for a service that was never reserved, or is removed. */
export class UnknownService extends Error {
  override readonly name = 'UnknownService';
}

const known = (found: RouteEntry | undefined, id: string): RouteEntry => {
  if (!found) throw new UnknownService(`no service ${id} is reserved`);
  return found;
};
