import type { BlockList } from 'node:net';
import { type AnswerCounts, InstanceConnections } from '@postern/load-balancer-client';
import { ConnectionLimits } from '@postern/service-host/connections';
import type { BalancerSettings } from '../settings.js';
import type { BusyBackend, ServedRoute, Worker, WorkerReport } from '../workers/ports.js';
import { Route } from './route.js';
import { ServiceListener } from './service-listener.js';
import { TrafficGauges } from './traffic-gauges.js';

interface Service {
  readonly route: Route;
  readonly listener: ServiceListener;
  readonly port: number;
  readonly hostLabel: string;
}

/** The listeners and routes of all services in this process. */
export class ReverseProxy implements Worker {
  readonly #services = new Map<string, Service>();
  readonly #labels = new Map<string, string>();
  readonly #gauges = new TrafficGauges((id, bytes) => this.#traffic.set(id, (this.#traffic.get(id) ?? 0) + bytes));
  readonly #connections: ConnectionLimits;
  readonly #toInstances: InstanceConnections;
  #traffic = new Map<string, number>();
  #hosts = new Map<string, string>();
  #shared: ServiceListener | undefined;
  #sharedPort: number | undefined;
  #stopped: Promise<void> | undefined;

  /** With `sharesPorts`, other processes of this user may listen on the same ports. */
  constructor(
    private readonly settings: BalancerSettings,
    private readonly sharesPorts: boolean,
  ) {
    this.#connections = new ConnectionLimits(settings.connections);
    this.#toInstances = new InstanceConnections(settings.platformHome);
  }

  get ports(): ReadonlyMap<string, number> {
    return new Map([...this.#services].map(([id, { port }]) => [id, port]));
  }

  get sharedPort(): number | undefined {
    return this.#sharedPort;
  }

  async serve({ id, port, hostLabel, backends, closed }: ServedRoute): Promise<void> {
    const found = this.#services.get(id);
    if (found?.port === port) return found.route.switchTo(backends, closed);
    if (this.#stopped) return;
    const route = new Route(id, this.settings.timeouts, this.#toInstances);
    route.switchTo(backends, closed);
    const listener = this.#listenerOf(() => route);
    await listener.listen(port, this.settings.host, this.sharesPorts);
    await this.withdraw(id);
    this.#services.set(id, { route, listener, port, hostLabel });
    this.#labels.set(hostLabel, id);
  }

  async withdraw(id: string): Promise<void> {
    const service = this.#services.get(id);
    if (!service) return;
    this.#services.delete(id);
    this.#labels.delete(service.hostLabel);
    service.route.switchTo([], null);
    await service.listener.stop(Promise.resolve());
  }

  async routeHosts(services: Readonly<Record<string, string>>): Promise<void> {
    this.#hosts = new Map(Object.entries(services));
  }

  async openShared(port: number): Promise<number> {
    if (this.#sharedPort !== undefined) return this.#sharedPort;
    const { domain, host, trustedProxies } = this.settings;
    const shared = this.#listenerOf(hostname => this.#routeOfHost(hostname, domain), trustedProxies);
    this.#sharedPort = await shared.listen(port, host, this.sharesPorts);
    this.#shared = shared;
    return this.#sharedPort;
  }

  async drain(id: string, backendIds: readonly string[], timeoutMs: number): Promise<number> {
    return (await this.#services.get(id)?.route.drain(backendIds, timeoutMs)) ?? 0;
  }

  async report(): Promise<WorkerReport> {
    this.#gauges.settle();
    const traffic = Object.fromEntries(this.#traffic);
    this.#traffic = new Map();
    const busy: Record<string, BusyBackend[]> = {};
    const requests: Record<string, number> = {};
    const answers: Record<string, AnswerCounts> = {};
    const waiting: Record<string, number> = {};
    for (const [service, { route }] of this.#services) {
      const count = route.takeRequests();
      if (count > 0) requests[service] = count;
      const answered = route.takeAnswers();
      if (answered.count > 0) answers[service] = answered;
      if (route.waiting > 0) waiting[service] = route.waiting;
      const found = [...route.active, ...route.retiring].filter(({ underWay }) => underWay.size > 0);
      if (found.length === 0) continue;
      busy[service] = found.map(({ id, host, port, underWay }) => ({ id, host, port, underWay: underWay.size }));
    }
    return { busy, traffic, requests, answers, waiting };
  }

  async stop(): Promise<WorkerReport> {
    this.#stopped ??= this.#finish();
    await this.#stopped;
    return this.report();
  }

  async #finish(): Promise<void> {
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
    this.#toInstances.close();
  }

  #routeOfHost(host: string, domain: string | undefined): Route | undefined {
    const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
    const custom = this.#hosts.get(name);
    if (custom !== undefined) return this.#services.get(custom)?.route;
    if (!domain || !name.endsWith(`.${domain}`)) return undefined;
    const id = this.#labels.get(name.slice(0, -domain.length - 1));
    return id === undefined ? undefined : this.#services.get(id)?.route;
  }

  #listenerOf(routeOf: (host: string) => Route | undefined, trustedProxies?: BlockList): ServiceListener {
    const { timeouts } = this.settings;
    const [gauges, connections] = [this.#gauges, this.#connections];
    return new ServiceListener({ timeouts, gauges, connections, routeOf, trustedProxies });
  }
}
