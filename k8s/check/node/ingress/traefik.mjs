/** Traefik as the controller of Ingresses and of the Gateway API, as its documentation installs it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addOn } from '../add-on.mjs';
import { TRAEFIK_IMAGE } from '../settings.mjs';

export const CLASS = 'traefik';
export const NAMESPACE = 'traefik';
/** The Gateway of k8s/examples/gateway-api.yaml. */
export const GATEWAY = { namespace: 'gateways', name: 'public' };
/** Load balancer address that Traefik writes to the status of objects that it serves. */
export const PUBLISHED_ADDRESS = '198.51.100.80';
const NAME = 'traefik';
const LABELS = { app: NAME };
/** Traefik serves only Gateway listeners whose port is that of an entry point. */
const PORT = 8443;

const reads = ['get', 'list', 'watch'];
const GATEWAY_KINDS = [
  'gatewayclasses',
  'gateways',
  'httproutes',
  'grpcroutes',
  'referencegrants',
  'backendtlspolicies',
];
const RULES = [
  { apiGroups: [''], resources: ['services', 'secrets', 'nodes', 'configmaps', 'namespaces'], verbs: reads },
  { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: reads },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses'], verbs: reads },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses/status'], verbs: ['update'] },
  { apiGroups: ['gateway.networking.k8s.io'], resources: GATEWAY_KINDS, verbs: reads },
  {
    apiGroups: ['gateway.networking.k8s.io'],
    resources: GATEWAY_KINDS.map(kind => `${kind}/status`),
    verbs: ['update'],
  },
];

const traefik = addOn({ name: NAME, namespace: NAMESPACE, labels: LABELS });
const clusterWide = (kind, apiVersion, name = NAME) => ({ apiVersion, kind, metadata: { name } });
const namespaceOf = name => clusterWide('Namespace', 'v1', name);

const gateway = certificate => [
  namespaceOf(GATEWAY.namespace),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'certificate', namespace: GATEWAY.namespace },
    type: 'kubernetes.io/tls',
    stringData: certificate,
  },
  {
    ...clusterWide('GatewayClass', 'gateway.networking.k8s.io/v1'),
    spec: { controllerName: 'traefik.io/gateway-controller' },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: GATEWAY,
    spec: {
      gatewayClassName: NAME,
      listeners: [
        {
          name: 'https',
          protocol: 'HTTPS',
          port: PORT,
          tls: { mode: 'Terminate', certificateRefs: [{ name: 'certificate' }] },
          allowedRoutes: { namespaces: { from: 'All' } },
        },
      ],
    },
  },
];

/** JSON is YAML. */
const configuration = () =>
  JSON.stringify({
    tls: {
      stores: {
        default: { defaultCertificate: { certFile: '/certificate/tls.crt', keyFile: '/certificate/tls.key' } },
      },
    },
  });

const CONTAINER = {
  args: [
    `--entrypoints.websecure.address=:${PORT}`,
    '--entrypoints.websecure.http.tls=true',
    '--entrypoints.websecure.asdefault=true',
    '--entrypoints.ping.address=:8082',
    '--ping.entrypoint=ping',
    `--providers.kubernetesingress.ingressclass=${CLASS}`,
    `--providers.kubernetesingress.ingressendpoint.ip=${PUBLISHED_ADDRESS}`,
    '--providers.kubernetesgateway=true',
    `--providers.kubernetesgateway.statusaddress.ip=${PUBLISHED_ADDRESS}`,
    '--providers.file.filename=/configuration/tls.yaml',
    '--global.checknewversion=false',
    '--global.sendanonymoususage=false',
    '--log.level=INFO',
  ],
  resources: { requests: { cpu: '50m', memory: '64Mi' } },
  readinessProbe: { httpGet: { path: '/ping', port: 8082 }, periodSeconds: 1 },
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 65_532,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: [
    { name: 'configuration', mountPath: '/configuration' },
    { name: 'certificate', mountPath: '/certificate' },
  ],
};

/**
 * Installs Traefik with a default certificate for Ingresses without one. @returns {Promise<string>} the address of its Service.
 */
export const installTraefik = async ({ cluster, folder, gatewayApi }) => {
  const [crt, key] = ['crt', 'key'].map(part => readFileSync(join(folder, `world.${part}`), 'utf8'));
  const certificate = { 'tls.crt': crt, 'tls.key': key };
  await cluster.kubectl('apply', '--server-side', '--filename', gatewayApi);
  await cluster.kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s');
  await cluster.apply(
    namespaceOf(NAMESPACE),
    ...traefik.rights(RULES),
    {
      ...clusterWide('IngressClass', 'networking.k8s.io/v1', CLASS),
      spec: { controller: 'traefik.io/ingress-controller' },
    },
    ...gateway(certificate),
    { ...traefik.named('ConfigMap'), data: { 'tls.yaml': configuration() } },
    { ...traefik.named('Secret', 'v1', 'certificate'), stringData: certificate },
    { ...traefik.named('Service'), spec: { selector: LABELS, ports: [{ port: 443, targetPort: PORT }] } },
    traefik.deployment(TRAEFIK_IMAGE, CONTAINER, {
      volumes: [
        { name: 'configuration', configMap: { name: NAME } },
        { name: 'certificate', secret: { secretName: 'certificate' } },
      ],
    }),
  );
  await traefik.untilRolledOut(cluster);
  return (await cluster.api('GET', `/api/v1/namespaces/${NAMESPACE}/services/${NAME}`)).spec.clusterIP;
};
