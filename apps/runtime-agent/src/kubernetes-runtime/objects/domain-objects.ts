import type { RoutedDomain } from '@postern/runtime';
import type { Manifest } from './kinds.js';
import { domainName, LABEL, serviceName } from './names.js';
import { fingerprinted, routeOf, type ServiceObjectSettings } from './service-objects.js';

/** The Secret that cert-manager creates for the Ingress of a custom domain. */
export const certificateName = (name: string): string => `${name}-tls`;

/** Routes a custom domain to its web service; with an issuer, cert-manager provides its certificate. */
export const domainRoute = ({ domain, webServiceId }: RoutedDomain, settings: ServiceObjectSettings): Manifest => {
  const name = domainName(domain);
  const to = { host: domain, service: serviceName(webServiceId) };
  const route = routeOf(name, { [LABEL.domainOf]: webServiceId }, to, settings);
  const { clusterIssuer } = settings;
  if (route.kind !== 'Ingress' || !clusterIssuer) return fingerprinted(route);
  return fingerprinted({
    ...route,
    metadata: { ...route.metadata, annotations: { 'cert-manager.io/cluster-issuer': clusterIssuer } },
    spec: { ...route.spec, tls: [{ hosts: [domain], secretName: certificateName(name) }] },
  });
};
