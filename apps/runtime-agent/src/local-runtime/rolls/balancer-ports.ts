import { isIPv4 } from 'node:net';
import type { BalancerRoute } from '@postern/load-balancer-client';
import type { TenantNetworks } from '../sandbox/network/tenant-network.js';

/** Lets sandboxes reach the ports of the load balancer, and no other ports of this machine, at the platform's address. */
export class BalancerPorts {
  #served = new Map<number, string>();

  /** @param networks undefined if sandboxes share the network of the machine. */
  constructor(private readonly networks: Pick<TenantNetworks, 'serve'> | undefined) {}

  /** Serves exactly the ports of these routes. */
  async follow(routes: readonly Pick<BalancerRoute, 'url'>[]): Promise<void> {
    await this.#serve(new Map(routes.flatMap(({ url }) => portOf(url))));
  }

  /** Serves a new route too. */
  async add(url: string): Promise<void> {
    await this.#serve(new Map([...this.#served, ...portOf(url)]));
  }

  async #serve(ports: ReadonlyMap<number, string>): Promise<void> {
    const isKnown =
      ports.size === this.#served.size && [...ports].every(([port, host]) => this.#served.get(port) === host);
    if (isKnown) return;
    await this.networks?.serve([...ports].map(([port, host]) => ({ host, port })));
    this.#served = new Map(ports);
  }
}

/** Empty for a URL with a host name: it leads to a public address, which sandboxes reach anyway. */
const portOf = (url: string): [number, string][] => {
  const { hostname, port } = new URL(url);
  return isIPv4(hostname) && port !== '' ? [[Number(port), hostname]] : [];
};
