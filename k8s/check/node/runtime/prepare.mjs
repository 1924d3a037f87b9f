/** What web services need around a trial: registries, repositories, metrics, and the settings that name them. */
import { demand } from '../../../../docker/check/report.mjs';
import { trial } from '../../helm.mjs';
import { helmIn } from '../helm.mjs';
import { HUB_ADDRESS, NODE_ADDRESS, REGISTRY_HOST } from '../settings.mjs';
import { TRIAL_SETTINGS } from '../stages/install.mjs';
import { GitHost } from './git-host.mjs';
import { installMetricsServer } from './metrics-server.mjs';
import { startRegistries } from './registries.mjs';

const AUTHORITY = '/etc/registry-authority';

/**
 * A registry with a private CA and credentials, and instances with so little CPU that load triggers autoscaling even on a busy
 * machine. All other settings are the chart's defaults.
 */
export const RUNTIME_SETTINGS = [
  ['--set', 'runtime-agent.env.POSTERN_KUBERNETES_REGISTRY_SECRET=registry'],
  ['--set', 'runtime-agent.env.POSTERN_KUBERNETES_INSTANCE_CPU_MILLICORES=300'],
  ['--set', `runtime-agent.env.NODE_EXTRA_CA_CERTS=${AUTHORITY}/ca.crt`],
  ['--set', `runtime-agent.files[0].name=authority,runtime-agent.files[0].mountPath=${AUTHORITY}`],
  ['--set', 'runtime-agent.files[0].configMap=kube-root-ca.crt'],
  // Both have private addresses.
  ...[NODE_ADDRESS, HUB_ADDRESS].map((address, index) => [
    '--set',
    `tenants.buildEgressTo[${index}].ipBlock.cidr=${address}/32`,
  ]),
].flat();

export const upgradeTrial = (context, ...settings) =>
  helmIn(context, 'upgrade', ...trial, ...TRIAL_SETTINGS, ...settings, '--wait', '--timeout', '5m');

/** As `kubectl create secret docker-registry` makes it. */
const credentialsSecret = ({ username, password }) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'registry', namespace: 'postern-tenants' },
  type: 'kubernetes.io/dockerconfigjson',
  stringData: {
    '.dockerconfigjson': JSON.stringify({
      auths: {
        [REGISTRY_HOST]: { username, password, auth: Buffer.from(`${username}:${password}`).toString('base64') },
      },
    }),
  },
});

const prepare = async context => {
  const { cluster, state, folder } = context;
  state.registry = await startRegistries(context);
  await cluster.apply(credentialsSecret(state.registry));
  state.git = new GitHost(folder);
  await state.git.listen();
  await installMetricsServer(context);
  demand('the metrics server measures the node', true);
  await upgradeTrial(context, ...RUNTIME_SETTINGS);
};

/** Runs once per run. @throws the same error again if it has failed. */
export const prepareRuntime = context => {
  context.state.preparation ??= prepare(context);
  return context.state.preparation;
};
