import { demand } from '../../../../docker/check/report.mjs';
import { SERVICES, trial } from '../../helm.mjs';
import { helmIn } from '../helm.mjs';
import { NODE_ADDRESS } from '../settings.mjs';
import { addVolume } from '../volumes.mjs';

export const name = 'install';
export const title = 'the trial is installed with its default values, and upgraded on the same node';

/** Settings of this trial: its relay, private webhook receivers, and limits that fit the load. */
export const TRIAL_SETTINGS = [
  ['--set', `trial.relays=smtp://${NODE_ADDRESS}:2525?tls=none`],
  ['--set-string', 'webhook-dispatch.env.POSTERN_WEBHOOKS_ALLOW_PRIVATE=true'],
  ['--set', 'email-send.env.POSTERN_SANDBOX_DAILY_LIMIT=100000,email-send.env.POSTERN_SANDBOX_PER_MINUTE_LIMIT=6000'],
].flat();

const APPLY = ['upgrade', '--install', ...trial, ...TRIAL_SETTINGS, '--create-namespace', '--wait', '--timeout', '8m'];

const requestedCpu = pods =>
  pods
    .flatMap(({ spec }) => spec.containers)
    .map(({ resources }) => resources?.requests?.cpu ?? '0m')
    .reduce((sum, cpu) => sum + (cpu.endsWith('m') ? Number.parseInt(cpu, 10) : Number(cpu) * 1_000), 0);

const restarts = pods =>
  pods.flatMap(({ status }) => status.containerStatuses ?? []).reduce((sum, each) => sum + each.restartCount, 0);

export const run = async context => {
  const { cluster } = context;
  await addVolume(context, 'postgresql', '8Gi');
  await addVolume(context, 'nats', '4Gi');
  await helmIn(context, ...APPLY);
  const pods = await cluster.pods('postern');
  demand(
    `all ${pods.length} pods run`,
    pods.length === SERVICES.length + 2,
    pods.map(({ metadata }) => metadata.name).join(),
  );
  demand('no container was started twice', restarts(pods) === 0, String(restarts(pods)));
  const [node] = (await cluster.api('GET', '/api/v1/nodes')).items;
  const cpu = requestedCpu(pods);
  demand(`they request ${cpu}m of the node's ${node.status.allocatable.cpu} CPUs`, cpu <= 600);
  await helmIn(context, ...APPLY, '--set-string', 'api-gateway.podAnnotations.check=upgraded');
  demand('the upgrade, with its migration Jobs, passes on the same node', true);
};
