import { once } from 'node:events';
import { connect } from 'node:net';
import { demand } from '../../../../docker/check/report.mjs';
import { SERVICES } from '../../helm.mjs';
import { helmIn } from '../helm.mjs';
import { BALANCER_ADDRESS, NAMESPACE, secretObjects, secretsByHand, whileBalancing } from '../installation.mjs';
import { isReady } from '../kubernetes.mjs';
import { makeSender, Operator } from '../mail-client.mjs';
import { installMetricsServer } from '../runtime/metrics-server.mjs';
import { eventually } from '../runtime/platform.mjs';
import { addVolume } from '../volumes.mjs';

export const name = 'whole';
export const title = 'the trial is uninstalled, and the whole chart is installed with its default values in its place';

const WHOLE = [
  ...['upgrade', '--install', 'postern', 'k8s/charts/postern', '--namespace', NAMESPACE],
  ...['-f', 'k8s/examples/installation.yaml'],
  ...['--set', 'global.trial.postgresql=true,global.trial.nats=true'],
  // The services alone request 1,700m of the 2 CPUs that a node should have at least.
  ...['--set', 'trial.postgresql.resources.requests.cpu=100m,trial.nats.resources.requests.cpu=50m'],
  ...['--wait', '--timeout', '5m'],
];

const uninstallTrial = async context => {
  const { cluster } = context;
  await helmIn(context, 'uninstall', 'postern', '--namespace', NAMESPACE, '--wait', '--timeout', '4m');
  demand('the trial is uninstalled', true);
  await cluster.kubectl('delete', 'namespace', NAMESPACE, '--timeout=240s');
};

const greetingAt = async (host, port) => {
  const socket = connect({ host, port, timeout: 10_000 });
  socket.once('timeout', () => socket.destroy(new Error('no greeting')));
  const [data] = await once(socket, 'data');
  socket.destroy();
  return data.toString('latin1');
};

const install = async context => {
  const { cluster } = context;
  await addVolume(context, 'whole-postgresql', '8Gi');
  await addVolume(context, 'whole-nats', '4Gi');
  await cluster.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    ...secretObjects(secretsByHand()),
  );
  await whileBalancing(context, () => helmIn(context, ...WHOLE));
};

const serves = async context => {
  // Two processes of each service, one of runtime-agent, PostgreSQL and NATS.
  const expected = 2 * (SERVICES.length - 1) + 3;
  // The autoscalers start the second process of a service within 15 s of the first, for which Helm waits.
  await eventually(`${expected} pods that are ready`, async () => {
    const pods = (await context.cluster.pods(NAMESPACE)).filter(({ status }) => status.phase !== 'Succeeded');
    return (pods.length === expected && pods.every(isReady)) || undefined;
  });
  demand(`all ${expected} pods are ready`, true);
  const greeting = await greetingAt(BALANCER_ADDRESS, 25);
  demand(`the bounce listener greets at the address of the load balancer`, greeting.startsWith('220 '), greeting);
  const operator = await Operator.signIn(context, NAMESPACE);
  const sender = await makeSender(operator, 'whole@customer.test');
  const answer = await sender.send('From the whole chart');
  demand('a message is sent', answer.status === 200 && answer.body.status === 'sent', answer.text);
};

const isMeasured = async ({ cluster }) => {
  const path = `/apis/autoscaling/v2/namespaces/${NAMESPACE}/horizontalpodautoscalers`;
  const measured = await eventually('the metrics of every autoscaler', async () => {
    const { items } = await cluster.api('GET', path);
    const values = items.map(({ status }) => status.currentMetrics?.[0]?.resource?.current?.averageUtilization);
    return items.length > 0 && values.every(value => value !== undefined) ? items.length : undefined;
  });
  demand(`all ${measured} autoscalers read the metrics of their pods`, true);
};

export const run = async context => {
  await uninstallTrial(context);
  await installMetricsServer(context);
  await install(context);
  await serves(context);
  await isMeasured(context);
};
