/** metrics-server, as in its official manifests. It verifies the kubelet with the CA of the cluster. */
import { until } from '../../control-plane.mjs';
import { METRICS_IMAGE } from '../settings.mjs';

const NAMESPACE = 'kube-system';
const NAME = 'metrics-server';
const RBAC = 'rbac.authorization.k8s.io';
const LABELS = { 'k8s-app': NAME };
const account = [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }];

const binding = (name, kind, role, namespace) => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name, ...(namespace && { namespace }) },
  roleRef: { apiGroup: RBAC, ...role },
  subjects: account,
});

const rights = () => [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: NAMESPACE } },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'system:metrics-server' },
    rules: [
      { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  binding('system:metrics-server', 'ClusterRoleBinding', { kind: 'ClusterRole', name: 'system:metrics-server' }),
  binding('metrics-server:auth', 'ClusterRoleBinding', { kind: 'ClusterRole', name: 'system:auth-delegator' }),
  binding(
    'metrics-server-reader',
    'RoleBinding',
    { kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    NAMESPACE,
  ),
];

const container = () => ({
  name: NAME,
  image: METRICS_IMAGE,
  imagePullPolicy: 'Never',
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
});

export const installMetricsServer = async ({ cluster }) => {
  await cluster.apply(
    ...rights(),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: NAME, namespace: NAMESPACE },
      spec: {
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: LABELS },
          spec: {
            serviceAccountName: NAME,
            containers: [container()],
            volumes: [
              { name: 'tmp', emptyDir: {} },
              { name: 'authority', configMap: { name: 'kube-root-ca.crt' } },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NAME, namespace: NAMESPACE },
      spec: { selector: LABELS, ports: [{ port: 443, targetPort: 10_250 }] },
    },
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
