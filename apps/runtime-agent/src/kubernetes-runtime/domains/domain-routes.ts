import type { RoutedDomain } from '@postern/runtime';
import pLimit from 'p-limit';
import { type Cluster, ClusterError } from '../cluster.js';
import { certificateName, domainRoute } from '../objects/domain-objects.js';
import type { KubernetesObject } from '../objects/kinds.js';
import { ANNOTATION, LABEL, OURS } from '../objects/names.js';
import type { ServiceObjectSettings } from '../objects/service-objects.js';

/** Both kinds are listed, because the settings may have selected the other kind before. */
const KINDS = ['Ingress', 'HTTPRoute'] as const;

/** Custom domains of web services: one Ingress or HTTPRoute each. Calls run one after the other. */
export class DomainRoutes {
  readonly #oneAtATime = pLimit(1);

  constructor(
    private readonly cluster: Cluster,
    private readonly settings: ServiceObjectSettings,
  ) {}

  /**
   * Routes these domains and no others; sends no request for objects that are up to date.
   * @throws AggregateError with the refusals of the cluster, after all other domains are routed.
   */
  route(domains: readonly RoutedDomain[]): Promise<void> {
    return this.#oneAtATime(async () => {
      const wanted = byName(domains.map(domain => domainRoute(domain, this.settings)));
      const existing = byName(await this.#list());
      const refusals: ClusterError[] = [];
      // Deletions come first, because a controller may refuse a host name that another object has.
      for (const [name, object] of existing) if (!wanted.has(name)) await noting(refusals, this.#delete(object));
      for (const [name, object] of wanted)
        if (appliedOf(existing.get(name)) !== appliedOf(object)) await noting(refusals, this.cluster.apply(object));
      if (refusals.length > 0)
        throw new AggregateError(refusals, `custom domains could not be routed: ${refusals[0]?.message}`);
    });
  }

  /** Removes the routes of a web service. */
  remove(webServiceId: string): Promise<void> {
    return this.#oneAtATime(async () => {
      for (const object of await this.#list(webServiceId)) await this.#delete(object);
    });
  }

  async #list(webServiceId?: string): Promise<readonly KubernetesObject[]> {
    const selector = `${OURS},${LABEL.domainOf}${webServiceId === undefined ? '' : `=${webServiceId}`}`;
    return (await Promise.all(KINDS.map(kind => this.cluster.list(kind, selector).catch(noneIfUnknown)))).flat();
  }

  /** Also deletes the certificate, which cert-manager would keep. */
  async #delete({ kind, metadata: { name } }: KubernetesObject): Promise<void> {
    await this.cluster.remove({ kind: kind as (typeof KINDS)[number], name });
    if (kind === 'Ingress') await this.cluster.remove({ kind: 'Secret', name: certificateName(name) });
  }
}

const byName = <T extends KubernetesObject>(objects: readonly T[]): Map<string, T> =>
  new Map(objects.map(object => [`${object.kind} ${object.metadata.name}`, object]));

const appliedOf = (object: KubernetesObject | undefined): string | undefined =>
  object?.metadata.annotations?.[ANNOTATION.applied];

/** Collects refusals of the cluster. @throws every other error. */
const noting = async (refusals: ClusterError[], work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof ClusterError)) throw error;
    refusals.push(error);
  });
};

/** A cluster may not have the Gateway API. */
const noneIfUnknown = (error: unknown): readonly KubernetesObject[] => {
  if (error instanceof ClusterError && error.status === 404) return [];
  throw error;
};
