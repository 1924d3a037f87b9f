import { demand } from '../../../../docker/check/report.mjs';
import { objectsOf } from '../../helm.mjs';
import { helmIn } from '../helm.mjs';
import { isReady } from '../kubernetes.mjs';
import { asFields, demandRestricted, demandUnprivileged, PROBE, reachedIn, reachScript } from '../probe.mjs';
import { deletesEverything } from '../runtime/deletion.mjs';
import { eventually, WebService } from '../runtime/platform.mjs';
import { prepareRuntime } from '../runtime/prepare.mjs';
import { sample } from '../runtime/sample.mjs';
import { GIT_ADDRESS, HUB_ADDRESS } from '../settings.mjs';
import { addPod, listenOutside, SILENT, targetsOf } from './network.mjs';

export const name = 'isolation';
export const title =
  'instances, builds, commands and migrations have no rights, and reach nothing that they should not';

const TENANTS = 'postern-tenants';
const USER = '1000';
/** A build that takes long enough to inspect its pod. */
const files = () => ({
  ...sample('isolated'),
  'build.cjs': `console.log('builds'); setTimeout(() => require('node:fs').writeFileSync('built.txt', ''), 45_000);`,
});

const INSIDE = /^(NATS|monitor of NATS|PostgreSQL|operator port of .*|metadata of a cloud|pod of a tenant)/;

const running = async ({ cluster }, selector) =>
  eventually(
    `a running pod ${selector}`,
    async () => (await cluster.pods(TENANTS, selector)).find(({ status }) => status.phase === 'Running'),
    180_000,
  );

/** The output of a bash script in a container, once the policies are enforced for its pod. */
const inContainer = async ({ cluster, policies }, { metadata }, container, script) => {
  await policies.settled();
  return cluster.execIn(metadata.namespace, metadata.name, container, 'bash', '-c', script);
};

/** Targets that no tenant pod may reach; the stage `network` checks the others. */
const demandOutside = (who, output) => {
  const reached = reachedIn(output);
  const inside = reached.filter(target => INSIDE.test(target));
  demand(
    `${who} reaches nothing of Postern's inside, no metadata and no other pod`,
    inside.length === 0,
    inside.join(),
  );
  return reached;
};

/** Names of the running containers of a pod, init containers included. */
const runningIn = ({ status }) =>
  [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
    .filter(({ state }) => state.running)
    .map(each => each.name);

/** Waits for the container that runs steps of the customer. */
const untilBuilding = ({ cluster }, { id }) =>
  eventually(
    'a build that runs',
    async () =>
      (await cluster.pods(TENANTS, `postern.dev/build=${id}`)).find(pod => runningIn(pod).includes('buildkit')),
    180_000,
  );

const examinesBuild = async (context, targets, service) => {
  const deployment = await service.requestDeployment();
  const pod = await untilBuilding(context, deployment);
  for (const container of runningIn(pod)) {
    const who = `the container ${container} of a build`;
    const output = await inContainer(context, pod, container, PROBE + reachScript(targets));
    demandUnprivileged(who, asFields(output));
    const reached = demandOutside(who, output);
    demand(`${who} reaches Docker Hub`, reached.includes('Docker Hub'), reached.join());
  }
  const { status, error } = await service.outcomeOf(deployment);
  demand('and the build ends well', status === 'live', error ?? '');
};

const examinesInstance = async (context, targets, service) => {
  const [pod] = await eventually('an instance', async () => {
    const found = (await service.instances()).filter(isReady);
    return found.length > 0 ? found : undefined;
  });
  const output = await inContainer(context, pod, pod.spec.containers[0].name, PROBE + reachScript(targets));
  demandRestricted('an instance', asFields(output), { user: USER, token: 'absent' });
  demandOutside('an instance', output);
};

const examinesCommand = async (context, targets, service) => {
  const { id } = await service.request('POST', '/runs', { command: 'sleep 600' });
  const pod = await running(context, `postern.dev/command=${id}`);
  const output = await inContainer(context, pod, pod.spec.containers[0].name, PROBE + reachScript(targets));
  demandRestricted('a one-off command', asFields(output), { user: USER, token: 'absent' });
  demandOutside('a one-off command', output);
  await service.request('DELETE', `/runs/${id}`);
};

/** The migration pod ends immediately, so the probe runs in place of its command. */
const examinesMigration = async (context, targets) => {
  const { cluster } = context;
  const hooks = objectsOf(await helmIn(context, 'get', 'hooks', 'postern', '--namespace', 'postern'));
  const job = hooks.find(({ metadata }) => metadata.name === 'platform-management-migration');
  const { metadata, spec } = job.spec.template;
  const container = {
    ...spec.containers[0],
    command: ['bash', '-c'],
    args: [`sleep 5; ${PROBE}${reachScript(targets)}`],
  };
  const pod = 'check-migration';
  await cluster.api('POST', '/api/v1/namespaces/postern/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name: pod },
    spec: { ...spec, containers: [container] },
  });
  await eventually('the end of the probe', async () => {
    const { status } = await cluster.api('GET', `/api/v1/namespaces/postern/pods/${pod}`);
    return ['Succeeded', 'Failed'].includes(status.phase) ? true : undefined;
  });
  const output = await cluster.kubectl('logs', pod, '--namespace', 'postern');
  demandRestricted('a migration', asFields(output), { user: '10001', token: 'absent' });
  const reached = reachedIn(output);
  demand('a migration reaches its database and NATS', `${reached}` === 'NATS,PostgreSQL', reached.join());
  await cluster.kubectl('delete', 'pod', pod, '--namespace', 'postern', '--now');
};

export const run = async context => {
  const { cluster, state } = context;
  await prepareRuntime(context);
  await addPod(context, TENANTS, 'neighbour');
  const servers = await listenOutside(SILENT);
  try {
    const outside = [
      ['repositories', GIT_ADDRESS, 443],
      ['Docker Hub', HUB_ADDRESS, 443],
    ];
    const targets = [...(await targetsOf(context)), ...outside];
    await examinesMigration(context, targets);
    const url = state.git.commit('isolated', files());
    const service = await WebService.create(context, { name: 'Isolated', git_repository_url: url });
    await examinesBuild(context, targets, service);
    await examinesInstance(context, targets, service);
    await examinesCommand(context, targets, service);
    await deletesEverything(context, service);
  } finally {
    for (const server of servers) server.close();
  }
  await cluster.kubectl('delete', 'pod', 'check-neighbour', '--namespace', TENANTS, '--now');
};
