import { isIPv4 } from 'node:net';
import type { BalancerRoute } from '@postern/load-balancer-client';
import type { ServicePlan } from '@postern/runtime';
import type { PrivateNetwork } from '../sandbox/network/private-network.js';
import type { BalancerPorts } from './balancer-ports.js';

type Named = Pick<ServicePlan, 'webServiceId' | 'projectId' | 'name' | 'port'>;

/** Names web services within their projects, at the ports of the load balancer that serve them. */
export class ServiceNames {
  /** @param network undefined if sandboxes share the network of the machine: then services have no such names. */
  constructor(
    private readonly ports: Pick<BalancerPorts, 'reserve' | 'routes'>,
    private readonly network: Pick<PrivateNetwork, 'include' | 'exclude'> | undefined,
  ) {}

  /** Names a web service before its first instance starts. */
  async includeNew(plan: Named): Promise<void> {
    if (!this.network || plan.projectId === undefined) return;
    await this.ports.reserve(plan.webServiceId, plan.name);
    await this.include([plan], new Map((await this.ports.routes()).map(route => [route.id, route])));
  }

  async include(plans: readonly Named[], routes: ReadonlyMap<string, BalancerRoute>): Promise<void> {
    const services = plans.flatMap(({ webServiceId, projectId, name, port }) => {
      const served = routes.get(webServiceId)?.listener;
      if (projectId === undefined || !served || !isIPv4(served.host)) return [];
      return [{ webServiceId, projectId, name, port, served }];
    });
    await this.network?.include(services);
  }

  async exclude(webServiceId: string): Promise<void> {
    await this.network?.exclude(webServiceId);
  }
}
