import { isIPv4 } from 'node:net';
import type { BalancerRoute, LoadBalancerClient } from '@postern/load-balancer-client';
import type { RuleTable } from '../sandbox/network/rule-table.js';
import type { ServedPort } from '../sandbox/network/ruleset.js';

/** Lets sandboxes reach the ports of the load balancer, and no other ports of this machine, at the platform's address. */
export class BalancerPorts {
  /** The ports that this process knows to be served. */
  #served = '';

  /** @param networks undefined if sandboxes share the network of the machine. */
  constructor(
    private readonly balancer: LoadBalancerClient,
    private readonly networks: { readonly rules: Pick<RuleTable, 'serve' | 'serveToo'> } | undefined,
  ) {}

  /** The current routes of the load balancer. Exactly their ports are served from now on. */
  async routes(): Promise<readonly BalancerRoute[]> {
    const routes = await this.balancer.routes();
    const ports = routes.flatMap(({ url }) => portOf(url)).sort((one, other) => one.port - other.port);
    const served = JSON.stringify(ports);
    if (served !== this.#served) await this.networks?.rules.serve(ports);
    this.#served = served;
    return routes;
  }

  /** The address of a web service, which is reserved and served if it is new. Other processes may serve others. */
  async reserve(webServiceId: string, name: string): Promise<string> {
    const url = await this.balancer.reserve(webServiceId, name);
    const ports = portOf(url);
    if (ports.some(({ port }) => !this.#served.includes(`"port":${port}}`))) {
      await this.networks?.rules.serveToo(ports);
      this.#served += JSON.stringify(ports);
    }
    return url;
  }
}

/** Empty for a URL with a host name: it leads to a public address, which sandboxes reach anyway. */
const portOf = (url: string): readonly ServedPort[] => {
  const { hostname, port } = new URL(url);
  return isIPv4(hostname) && port !== '' ? [{ host: hostname, port: Number(port) }] : [];
};
