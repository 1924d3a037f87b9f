/** A cluster with one node, inside the Linux namespaces of a run. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { until } from '../control-plane.mjs';
import { PROXY_NAME } from './certificates.mjs';
import { Kubernetes } from './kubernetes.mjs';
import * as configuration from './node-configuration.mjs';
import {
  API_SERVER,
  HUB_HOST,
  NODE_ADDRESS,
  NODE_NAME,
  POD_NETWORK,
  REGISTRY_HOST,
  SERVICE_NETWORK,
} from './settings.mjs';

const STORE = 'http://127.0.0.1:2379';
/** User names and groups of the cluster components, for authorization. */
const USERS = {
  admin: ['admin', 'system:masters'],
  node: [`system:node:${NODE_NAME}`, 'system:nodes'],
  controllers: ['system:kube-controller-manager'],
  scheduler: ['system:kube-scheduler'],
  proxy: ['system:kube-proxy'],
};

const writeAccess = file => {
  const tokens = Object.entries(USERS).map(([name, [user, group = '']]) => {
    const token = randomBytes(24).toString('hex');
    writeFileSync(file(`${name}.kubeconfig`), configuration.kubeconfigFor(token, file('ca.crt')), { mode: 0o600 });
    return { name, token, line: `${token},${user},${user},"${group}"` };
  });
  writeFileSync(file('tokens.csv'), `${tokens.map(({ line }) => line).join('\n')}\n`, { mode: 0o600 });
  return tokens.find(({ name }) => name === 'admin')?.token;
};

export const startApiServer = ({ supervised, programs, file }) =>
  supervised.start('kube-apiserver', programs['kube-apiserver'], [
    `--etcd-servers=${STORE}`,
    `--advertise-address=${NODE_ADDRESS}`,
    '--secure-port=6443',
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--kubelet-certificate-authority=${file('ca.crt')}`,
    `--kubelet-client-certificate=${file('apiserver.crt')}`,
    `--kubelet-client-key=${file('apiserver.key')}`,
    '--kubelet-preferred-address-types=InternalIP',
    `--service-account-key-file=${file('accounts.key')}`,
    `--service-account-signing-key-file=${file('accounts.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-cluster-ip-range=${SERVICE_NETWORK}`,
    `--token-auth-file=${file('tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    `--requestheader-client-ca-file=${file('ca.crt')}`,
    `--requestheader-allowed-names=${PROXY_NAME}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${file('proxy.crt')}`,
    `--proxy-client-key-file=${file('proxy.key')}`,
    `--cert-dir=${file('certificates')}`,
  ]);

export const startControllers = ({ supervised, programs, file }) => {
  supervised.start('kube-controller-manager', programs['kube-controller-manager'], [
    `--kubeconfig=${file('controllers.kubeconfig')}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--service-account-private-key-file=${file('accounts.key')}`,
    `--root-ca-file=${file('ca.crt')}`,
    `--cluster-cidr=${POD_NETWORK}`,
    '--allocate-node-cidrs=true',
    `--service-cluster-ip-range=${SERVICE_NETWORK}`,
    '--use-service-account-credentials=true',
    `--cert-dir=${file('certificates')}`,
  ]);
  supervised.start('kube-scheduler', programs['kube-scheduler'], [
    `--kubeconfig=${file('scheduler.kubeconfig')}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--cert-dir=${file('certificates')}`,
  ]);
};

const startNode = ({ supervised, programs, file }) => {
  supervised.start('kubelet', programs.kubelet, [
    `--config=${file('kubelet.json')}`,
    `--kubeconfig=${file('node.kubeconfig')}`,
    `--root-dir=${file('kubelet')}`,
    `--cert-dir=${file('certificates')}`,
    `--hostname-override=${NODE_NAME}`,
    `--node-ip=${NODE_ADDRESS}`,
  ]);
  supervised.start('kube-proxy', programs['kube-proxy'], [
    `--kubeconfig=${file('proxy.kubeconfig')}`,
    `--hostname-override=${NODE_NAME}`,
    `--cluster-cidr=${POD_NETWORK}`,
    '--proxy-mode=iptables',
    `--bind-address=${NODE_ADDRESS}`,
    '--healthz-bind-address=127.0.0.1:10256',
    '--metrics-bind-address=127.0.0.1:10249',
    // Keeps kube-proxy from changing the connection tracking limits, which apply to the whole machine.
    ...['conntrack-max-per-core', 'conntrack-tcp-timeout-established', 'conntrack-tcp-timeout-close-wait'].map(
      name => `--${name}=0`,
    ),
  ]);
};

const writeConfiguration = ({ file, debian, controlGroup }) => {
  for (const name of ['cni', 'volume-plugins', 'volumes', 'certificates']) mkdirSync(file(name), { recursive: true });
  writeFileSync(file('containerd.toml'), configuration.containerdConfiguration({ file, debian }));
  writeFileSync(file('cni/10-pods.conflist'), JSON.stringify(configuration.podNetworkConfiguration()));
  writeFileSync(file('kubelet.json'), JSON.stringify(configuration.kubeletConfiguration({ file, controlGroup })));
  writeFileSync(file('resolv.conf'), `nameserver ${NODE_ADDRESS}\n`);
  // The node pulls images of web services from the first registry, and the builder image from the second.
  for (const [name, host] of Object.entries({ [REGISTRY_HOST]: REGISTRY_HOST, 'docker.io': HUB_HOST })) {
    mkdirSync(file(`registries/${name}`), { recursive: true });
    writeFileSync(file(`registries/${name}/hosts.toml`), `server = "https://${host}"\nca = "${file('ca.crt')}"\n`);
  }
};

/** Starts everything and waits for the node. @returns {Promise<Kubernetes>} its client, as an administrator. */
export const startCluster = async ({ folder, programs, debian, supervised }) => {
  const file = name => join(folder, name);
  const token = writeAccess(file);
  writeConfiguration({ file, debian, controlGroup: basename(folder) });
  const cluster = new Kubernetes({
    server: API_SERVER,
    token,
    caFile: file('ca.crt'),
    kubectl: programs.kubectl,
    file,
  });
  const running = async (what, condition, limitMs = 90_000) =>
    until(
      what,
      () => {
        supervised.assertRunning();
        return condition();
      },
      limitMs,
    );
  const parts = { supervised, programs, file };

  supervised.start('etcd', programs.etcd, [
    `--data-dir=${file('etcd')}`,
    '--unsafe-no-fsync',
    `--listen-client-urls=${STORE}`,
    `--advertise-client-urls=${STORE}`,
  ]);
  supervised.start('containerd', programs.containerd, ['--config', file('containerd.toml')]);
  startApiServer(parts);
  await running('kube-apiserver', () => cluster.answers('/readyz'));
  startControllers(parts);
  // The kubelet exits without it.
  await running('containerd', () => existsSync('/run/containerd/containerd.sock'));
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'proxy' },
  };
  await cluster.apply({
    ...binding,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-proxier' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:kube-proxy' }],
  });
  startNode(parts);
  await running('the node', async () => {
    const { items } = await cluster.api('GET', '/api/v1/nodes');
    return items[0]?.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  });
  return cluster;
};

/** Directories to add to PATH. */
export const programFolders = programs =>
  ['containerd-shim-runc-v2', 'containerd', 'kubectl'].map(name => dirname(programs[name]));
