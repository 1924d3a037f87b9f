/** metrics-server, as in its official manifests. It verifies the kubelet with the CA of the cluster. */
import { until } from '../../control-plane.mjs';
import { addOn } from '../add-on.mjs';
import { METRICS_IMAGE } from '../settings.mjs';

const NAMESPACE = 'kube-system';
const NAME = 'metrics-server';
const LABELS = { 'k8s-app': NAME };
const server = addOn({ name: NAME, namespace: NAMESPACE, labels: LABELS, role: 'system:metrics-server' });

const RULES = [
  { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
  { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
];
const reader = { kind: 'Role', name: 'extension-apiserver-authentication-reader' };

const CONTAINER = {
  args: [
    '--cert-dir=/tmp',
    '--secure-port=10250',
    '--kubelet-preferred-address-types=InternalIP',
    '--kubelet-use-node-status-port',
    '--kubelet-certificate-authority=/authority/ca.crt',
    '--metric-resolution=15s',
  ],
  resources: { requests: { cpu: '20m', memory: '64Mi' } },
  securityContext: { runAsNonRoot: true, runAsUser: 1_000, allowPrivilegeEscalation: false },
  readinessProbe: { httpGet: { path: '/readyz', port: 10_250, scheme: 'HTTPS' }, periodSeconds: 2 },
  volumeMounts: [
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'authority', mountPath: '/authority' },
  ],
};

export const installMetricsServer = async ({ cluster }) => {
  await cluster.apply(
    ...server.rights(RULES),
    server.binding('metrics-server:auth', { kind: 'ClusterRole', name: 'system:auth-delegator' }),
    server.binding('metrics-server-reader', reader, NAMESPACE),
    server.deployment(METRICS_IMAGE, CONTAINER, {
      volumes: [
        { name: 'tmp', emptyDir: {} },
        { name: 'authority', configMap: { name: 'kube-root-ca.crt' } },
      ],
    }),
    { ...server.named('Service'), spec: { selector: LABELS, ports: [{ port: 443, targetPort: 10_250 }] } },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.metrics.k8s.io' },
      spec: {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        service: { name: NAME, namespace: NAMESPACE },
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
  );
  await until(
    'metrics of the node',
    async () => {
      const { items = [] } = await cluster.api('GET', '/apis/metrics.k8s.io/v1beta1/nodes').catch(() => ({}));
      return items.length > 0;
    },
    120_000,
  );
};
