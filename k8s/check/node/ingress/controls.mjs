/** The two ways to route a host name to a Service (Ingress and Gateway API), with the settings of Postern for each. */
import { CLASS, GATEWAY, NAMESPACE, PUBLISHED_ADDRESS } from './traefik.mjs';

export const DOMAIN = 'apps.example.com';

/** Replaces the ingress-nginx values of the examples with those for Traefik. */
const INGRESS = [
  ['-f', 'k8s/examples/ingress.yaml'],
  ['--set', `api-gateway.ingress.className=${CLASS}`],
  [
    '--set-json',
    `api-gateway.networkPolicy.publicFrom=${JSON.stringify([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } } },
    ])}`,
  ],
  ['--set', `runtime-agent.env.POSTERN_PLATFORM_DOMAIN=${DOMAIN}`],
  ['--set', `runtime-agent.env.POSTERN_KUBERNETES_INGRESS_CLASS=${CLASS}`],
].flat();

const HTTP_ROUTE = [
  ['-f', 'k8s/examples/gateway-api.yaml'],
  ['--set', `runtime-agent.env.POSTERN_PLATFORM_DOMAIN=${DOMAIN}`],
  ['--set', `runtime-agent.env.POSTERN_KUBERNETES_GATEWAY=${GATEWAY.namespace}/${GATEWAY.name}`],
].flat();

const isTrue = (conditions, type) => conditions.some(each => each.type === type && each.status === 'True');

/** `isServed` evaluates the status that the controller sets on an object. */
export const CONTROLS = [
  {
    kind: 'Ingress',
    settings: INGRESS,
    path: '/apis/networking.k8s.io/v1/ingresses',
    hostsOf: ({ spec }) => spec.rules.map(({ host }) => host),
    isServed: ({ status }) => status?.loadBalancer?.ingress?.some(({ ip }) => ip === PUBLISHED_ADDRESS) ?? false,
  },
  {
    kind: 'HTTPRoute',
    settings: HTTP_ROUTE,
    path: '/apis/gateway.networking.k8s.io/v1/httproutes',
    hostsOf: ({ spec }) => spec.hostnames,
    isServed: ({ status }) =>
      status?.parents?.some(({ conditions }) => isTrue(conditions, 'Accepted') && isTrue(conditions, 'ResolvedRefs')) ??
      false,
  },
];
