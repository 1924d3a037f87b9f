import type { RoutedDomain } from '@postern/runtime';
import type { Cluster, Kind } from '../cluster.js';
import { domainRoute } from '../objects/domain-objects.js';
import type { KubernetesObject } from '../objects/kinds.js';
import { ANNOTATION, LABEL, OURS } from '../objects/names.js';
import type { ServiceObjectSettings } from '../objects/service-objects.js';

/** Custom domains of web services: an Ingress or an HTTPRoute for each. */
export class DomainRoutes {
  constructor(
    private readonly cluster: Cluster,
    private readonly settings: ServiceObjectSettings,
  ) {}

  /** Routes these domains and no others; what is as it should be costs no request. */
  async route(domains: readonly RoutedDomain[]): Promise<void> {
    const existing = new Map((await this.#list()).map(found => [found.metadata.name, found]));
    for (const domain of domains) {
      const manifest = domainRoute(domain, this.settings);
      const before = existing.get(manifest.metadata.name);
      existing.delete(manifest.metadata.name);
      if (appliedOf(before) !== appliedOf(manifest)) await this.cluster.apply(manifest);
    }
    await this.#delete(existing.values());
  }

  /** Ends the routes of a web service. */
  async remove(webServiceId: string): Promise<void> {
    await this.#delete(await this.#list(webServiceId));
  }

  get #kind(): Kind {
    return this.settings.gateway ? 'HTTPRoute' : 'Ingress';
  }

  #list(webServiceId?: string): Promise<readonly KubernetesObject[]> {
    const of = webServiceId === undefined ? '' : `=${webServiceId}`;
    return this.cluster.list(this.#kind, `${OURS},${LABEL.domainOf}${of}`);
  }

  async #delete(routes: Iterable<KubernetesObject>): Promise<void> {
    for (const { metadata } of routes) await this.cluster.remove({ kind: this.#kind, name: metadata.name });
  }
}

const appliedOf = (object: KubernetesObject | undefined): string | undefined =>
  object?.metadata.annotations?.[ANNOTATION.applied];
