import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RoutedDomain } from '@postern/runtime';
import { Cluster, ClusterError } from '../cluster.js';
import type { KubernetesObject, Manifest } from '../objects/kinds.js';
import { domainName } from '../objects/names.js';
import type { ServiceObjectSettings } from '../objects/service-objects.js';
import { ObserverCluster } from '../testing/observer-cluster.js';
import { fakeCluster, type TestCluster } from '../testing/test-clusters.js';
import { DomainRoutes } from './domain-routes.js';

const SETTINGS: ServiceObjectSettings = {
  ...{ domain: 'apps.example.com', scheme: 'https', ingressClass: 'nginx', gateway: undefined, nodeSelector: {} },
  ...{ pullSecret: undefined, memoryMiB: 512, cpuMillicores: 1_000, drainSeconds: 5 },
};
const SHOP: RoutedDomain = { domain: 'shop.example.org', webServiceId: '0197a3b0-0000-7000-8000-000000000001' };
const BLOG: RoutedDomain = { domain: 'blog.example.org', webServiceId: '0197a3b0-0000-7000-8000-000000000002' };

class CountingCluster extends Cluster {
  applied = 0;

  override apply<T extends KubernetesObject>(object: T): Promise<T> {
    this.applied += 1;
    return super.apply(object);
  }
}

/** Refuses one domain, like the admission webhook of an Ingress controller. */
class RefusingCluster extends Cluster {
  override async apply<T extends KubernetesObject>(object: T): Promise<T> {
    if (object.metadata.name === domainName(SHOP.domain))
      throw new ClusterError(400, 'host "shop.example.org" is already defined');
    return super.apply(object);
  }
}

describe('Custom domains in a cluster', () => {
  let server: TestCluster;
  let cluster: Cluster;
  let observed: ObserverCluster;
  beforeAll(async () => {
    server = await fakeCluster();
    cluster = new Cluster('tenants', server.kubeconfig);
    observed = new ObserverCluster('tenants', server.kubeconfig);
  });
  afterAll(() => server.stop());
  beforeEach(() => new DomainRoutes(cluster, SETTINGS).route([]));

  const routes = (changes: Partial<ServiceObjectSettings> = {}) =>
    new DomainRoutes(cluster, { ...SETTINGS, ...changes });

  const ingressOf = ({ domain }: RoutedDomain) =>
    observed.find<Manifest>({ kind: 'Ingress', name: domainName(domain) });

  const backendOf = async (domain: RoutedDomain) => {
    const { rules } = ((await ingressOf(domain))?.spec ?? {}) as {
      rules?: { host: string; http: { paths: { backend: { service: { name: string } } }[] } }[];
    };
    return rules?.map(({ host, http }) => [host, http.paths[0]?.backend.service.name]);
  };

  it('are routed to their web services by one Ingress each', async () => {
    await routes().route([SHOP, BLOG]);
    expect(await backendOf(SHOP)).toEqual([['shop.example.org', `ws-${SHOP.webServiceId}`]]);
    expect(await backendOf(BLOG)).toEqual([['blog.example.org', `ws-${BLOG.webServiceId}`]]);
    expect(await ingressOf(SHOP)).toMatchObject({ spec: { ingressClassName: 'nginx' } });
  });

  it('are removed when they are no longer in the list', async () => {
    await routes().route([SHOP, BLOG]);
    await routes().route([BLOG]);
    expect(await ingressOf(SHOP)).toBeUndefined();
    expect(await ingressOf(BLOG)).toBeDefined();
  });

  it('can be moved to another web service', async () => {
    await routes().route([SHOP]);
    await routes().route([{ ...SHOP, webServiceId: BLOG.webServiceId }]);
    expect(await backendOf(SHOP)).toEqual([['shop.example.org', `ws-${BLOG.webServiceId}`]]);
  });

  it('are removed with their web service', async () => {
    await routes().route([SHOP, BLOG]);
    await routes().remove(SHOP.webServiceId);
    expect(await ingressOf(SHOP)).toBeUndefined();
    expect(await ingressOf(BLOG)).toBeDefined();
  });

  it('are not applied again while the list stays the same', async () => {
    const counting = new CountingCluster('tenants', server.kubeconfig);
    await new DomainRoutes(counting, SETTINGS).route([SHOP, BLOG]);
    await new DomainRoutes(counting, SETTINGS).route([SHOP, BLOG]);
    expect(counting.applied).toBe(2);
  });

  it('get a certificate from the configured issuer', async () => {
    await routes({ clusterIssuer: 'letsencrypt' }).route([SHOP]);
    expect(await ingressOf(SHOP)).toMatchObject({
      metadata: { annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' } },
      spec: { tls: [{ hosts: ['shop.example.org'], secretName: `${domainName(SHOP.domain)}-tls` }] },
    });
  });

  it('are removed with their certificates', async () => {
    await routes({ clusterIssuer: 'letsencrypt' }).route([SHOP]);
    const certificate = { kind: 'Secret', name: `${domainName(SHOP.domain)}-tls` } as const;
    await cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: certificate.name } });
    await routes().remove(SHOP.webServiceId);
    expect(await observed.find(certificate)).toBeUndefined();
  });

  it('are routed although the cluster refuses another one', async () => {
    const refusing = new DomainRoutes(new RefusingCluster('tenants', server.kubeconfig), SETTINGS);
    await expect(refusing.route([SHOP, BLOG])).rejects.toThrow(/could not be routed: host .* is already defined/);
    expect(await ingressOf(SHOP)).toBeUndefined();
    expect(await backendOf(BLOG)).toEqual([['blog.example.org', `ws-${BLOG.webServiceId}`]]);
  });

  it('no longer have an Ingress once a Gateway is configured', async () => {
    await routes().route([SHOP]);
    const gateway = { namespace: 'gateways', name: 'public' };
    await routes({ gateway }).route([SHOP]);
    expect(await ingressOf(SHOP)).toBeUndefined();
    expect(await observed.find({ kind: 'HTTPRoute', name: domainName(SHOP.domain) })).toBeDefined();
    await routes({ gateway }).route([]);
  });

  it('are HTTPRoutes behind a Gateway', async () => {
    const gateway = { namespace: 'gateways', name: 'public' };
    await routes({ gateway }).route([SHOP]);
    const name = domainName(SHOP.domain);
    expect(await observed.find<Manifest>({ kind: 'HTTPRoute', name })).toMatchObject({
      spec: {
        parentRefs: [gateway],
        hostnames: ['shop.example.org'],
        rules: [{ backendRefs: [{ name: `ws-${SHOP.webServiceId}` }] }],
      },
    });
    await routes({ gateway }).route([]);
    expect(await observed.find({ kind: 'HTTPRoute', name })).toBeUndefined();
  });
});
