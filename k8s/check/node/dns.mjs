/** CoreDNS as the DNS of the cluster. It resolves Services and a few external hosts, but no names on the internet. */
import { createHash } from 'node:crypto';
import { CUSTOMERS_ZONE, DNS_ADDRESS, DNS_IMAGE, HOSTS } from './settings.mjs';

const NAMESPACE = 'kube-system';
const NAME = 'coredns';
const LABELS = { 'k8s-app': 'kube-dns' };
const RBAC = 'rbac.authorization.k8s.io';
const COREFILE = `.:53 {
  errors
  health :8080
  ready :8181
  kubernetes cluster.local in-addr.arpa ip6.arpa
  cache 5
  hosts {
${Object.entries(HOSTS)
  .map(([name, address]) => `    ${address} ${name}`)
  .join('\n')}
    fallthrough
  }
}
${CUSTOMERS_ZONE}:53 {
  errors
  file /etc/coredns/zone
}
`;

const zone = records => `$ORIGIN ${CUSTOMERS_ZONE}.
$TTL 5
@ IN SOA ns hostmaster 1 60 60 60 5
@ IN NS ns
${records.join('\n')}
`;

const named = (kind, apiVersion, name = NAME) => ({ apiVersion, kind, metadata: { name, namespace: NAMESPACE } });
const clusterWide = kind => ({ apiVersion: `${RBAC}/v1`, kind, metadata: { name: 'system:coredns' } });

const rights = () => [
  named('ServiceAccount', 'v1'),
  {
    ...clusterWide('ClusterRole'),
    rules: [
      { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    ],
  },
  {
    ...clusterWide('ClusterRoleBinding'),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'system:coredns' },
    subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }],
  },
];

const container = () => ({
  name: NAME,
  image: DNS_IMAGE,
  imagePullPolicy: 'Never',
  args: ['-conf', '/etc/coredns/Corefile'],
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
  },
  readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
  volumeMounts: [{ name: 'configuration', mountPath: '/etc/coredns' }],
});

/** Installs CoreDNS, or restarts it with other records. @param records lines of the customers' zone. */
export const installDns = async ({ cluster }, records = []) => {
  const data = { Corefile: COREFILE, zone: zone(records) };
  const annotations = { 'check/zone': createHash('sha256').update(data.zone).digest('hex').slice(0, 16) };
  await cluster.apply(
    ...rights(),
    { ...named('ConfigMap', 'v1'), data },
    {
      ...named('Deployment', 'apps/v1'),
      spec: {
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: LABELS, annotations },
          spec: {
            serviceAccountName: NAME,
            dnsPolicy: 'Default',
            containers: [container()],
            volumes: [{ name: 'configuration', configMap: { name: NAME } }],
          },
        },
      },
    },
    {
      ...named('Service', 'v1', 'kube-dns'),
      spec: {
        clusterIP: DNS_ADDRESS,
        selector: LABELS,
        ports: ['UDP', 'TCP'].map(protocol => ({ name: `dns-${protocol.toLowerCase()}`, port: 53, protocol })),
      },
    },
  );
  await cluster.kubectl('rollout', 'status', `deployment/${NAME}`, '--namespace', NAMESPACE, '--timeout', '120s');
};
