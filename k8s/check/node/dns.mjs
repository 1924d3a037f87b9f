/** CoreDNS as the DNS of the cluster. It resolves Services and a few external hosts, but no names on the internet. */
import { createHash } from 'node:crypto';
import { addOn } from './add-on.mjs';
import { CUSTOMERS_ZONE, DNS_ADDRESS, DNS_IMAGE, HOSTS } from './settings.mjs';

const NAMESPACE = 'kube-system';
const NAME = 'coredns';
const LABELS = { 'k8s-app': 'kube-dns' };
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

const dns = addOn({ name: NAME, namespace: NAMESPACE, labels: LABELS, role: 'system:coredns' });

const RULES = [
  { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
];

const CONTAINER = {
  args: ['-conf', '/etc/coredns/Corefile'],
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
  },
  readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
  volumeMounts: [{ name: 'configuration', mountPath: '/etc/coredns' }],
};

/** Installs CoreDNS, or restarts it with other records. @param records lines of the customers' zone. */
export const installDns = async ({ cluster }, records = []) => {
  const data = { Corefile: COREFILE, zone: zone(records) };
  const annotations = { 'check/zone': createHash('sha256').update(data.zone).digest('hex').slice(0, 16) };
  const pod = { dnsPolicy: 'Default', volumes: [{ name: 'configuration', configMap: { name: NAME } }] };
  await cluster.apply(
    ...dns.rights(RULES),
    { ...dns.named('ConfigMap'), data },
    dns.deployment(DNS_IMAGE, CONTAINER, pod, annotations),
    {
      ...dns.named('Service', 'v1', 'kube-dns'),
      spec: {
        clusterIP: DNS_ADDRESS,
        selector: LABELS,
        ports: ['UDP', 'TCP'].map(protocol => ({ name: `dns-${protocol.toLowerCase()}`, port: 53, protocol })),
      },
    },
  );
  await dns.untilRolledOut(cluster);
};
