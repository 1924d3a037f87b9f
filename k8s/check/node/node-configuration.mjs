/** The configuration of containerd, its network plug-ins and the kubelet. */
import { API_SERVER, DNS_ADDRESS, NODE_ADDRESS, PAUSE_IMAGE, POD_NETWORK } from './settings.mjs';

export const containerdConfiguration = ({ file, debian }) => `version = 3
root = "${file('containerd')}"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "${PAUSE_IMAGE}"
  [plugins."io.containerd.cri.v1.images".registry]
    config_path = "${file('registries')}"
[plugins."io.containerd.cri.v1.runtime"]
  # A root without CAP_SYS_RESOURCE may not lower the score of the pause process.
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["${debian}/usr/lib/cni"]
    conf_dir = "${file('cni')}"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      BinaryName = "${debian}/usr/sbin/runc"
      SystemdCgroup = false
`;

export const podNetworkConfiguration = () => ({
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      // Routed, and not bridged, so that iptables sees packets between pods.
      type: 'ptp',
      ipMasq: true,
      ipam: {
        type: 'host-local',
        dataDir: '/run/pod-addresses',
        ranges: [[{ subnet: POD_NETWORK.replace('/16', '/24') }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
});

export const kubeletConfiguration = ({ file, controlGroup }) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  failCgroupV1: false,
  failSwapOn: false,
  cgroupDriver: 'cgroupfs',
  cgroupRoot: `/${controlGroup}`,
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  clusterDNS: [DNS_ADDRESS],
  clusterDomain: 'cluster.local',
  address: NODE_ADDRESS,
  authentication: {
    x509: { clientCAFile: file('ca.crt') },
    webhook: { enabled: true },
    anonymous: { enabled: false },
  },
  authorization: { mode: 'Webhook' },
  tlsCertFile: file('node.crt'),
  tlsPrivateKeyFile: file('node.key'),
  resolvConf: file('resolv.conf'),
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
  volumePluginDir: file('volume-plugins'),
  healthzBindAddress: '127.0.0.1',
});

/** @returns {string} a kubeconfig for the bearer of a token. */
export const kubeconfigFor = (token, caFile) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'node', cluster: { server: API_SERVER, 'certificate-authority': caFile } }],
    users: [{ name: 'user', user: { token } }],
    contexts: [{ name: 'node', context: { cluster: 'node', user: 'user' } }],
    'current-context': 'node',
  });
