import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { demand } from '../../../../docker/check/report.mjs';
import { until } from '../../control-plane.mjs';
import { SERVICES } from '../../helm.mjs';
import { startApiServer, startControllers } from '../cluster.mjs';
import { isReady } from '../kubernetes.mjs';
import { demandDelivered } from '../outcomes.mjs';
import { NODE_NAME } from '../settings.mjs';
import { addVolume } from '../volumes.mjs';
import { underLoad } from './upgrade.mjs';

export const name = 'faults';
export const title =
  'processes are killed, the node is drained, the broker loses its storage, the database and the API server restart';

const POD = '/api/v1/namespaces/postern/pods';
const CLAIM = '/api/v1/namespaces/postern/persistentvolumeclaims';

/** Waits until a new container is ready. */
const untilReplaced = ({ cluster }, path, before) =>
  until(
    `another pod than ${before}`,
    async () => {
      const pod = await cluster.api('GET', path).catch(() => undefined);
      return pod && pod.metadata.uid !== before && isReady(pod);
    },
    120_000,
  );

/** Deletes a pod without a grace period, as after a node failure. */
const killPod = async (context, service) => {
  const { metadata } = await context.cluster.podOf(service);
  await context.cluster.kubectl(
    'delete',
    'pod',
    '--namespace',
    'postern',
    metadata.name,
    '--grace-period=0',
    '--force',
  );
  await until(
    `another pod of ${service}`,
    async () => {
      const pod = await context.cluster.podOf(service);
      return pod && pod.metadata.uid !== metadata.uid && isReady(pod);
    },
    120_000,
  );
};

const restartSet = async (context, name) => {
  const { metadata } = await context.cluster.api('GET', `${POD}/${name}-0`);
  await context.cluster.api('DELETE', `${POD}/${name}-0`);
  await untilReplaced(context, `${POD}/${name}-0`, metadata.uid);
};

/** Deletes NATS's PersistentVolumeClaim and volume, and creates an empty volume. */
const loseNatsStorage = async context => {
  const { cluster, folder } = context;
  const claim = `${CLAIM}/data-postern-nats-0`;
  const uidOf = async path => (await cluster.api('GET', path).catch(() => undefined))?.metadata.uid;
  const [pod, before] = [await uidOf(`${POD}/postern-nats-0`), await uidOf(claim)];
  await cluster.api('DELETE', claim);
  await cluster.api('DELETE', `${POD}/postern-nats-0`);
  await until('the end of the claim', async () => (await uidOf(claim)) !== before, 180_000);
  await cluster.api('DELETE', '/api/v1/persistentvolumes/nats');
  rmSync(join(folder, 'volumes/nats'), { recursive: true, force: true });
  await addVolume(context, 'nats-2', '4Gi');
  await untilReplaced(context, `${POD}/postern-nats-0`, pod);
};

const allReady = ({ cluster }) =>
  until(
    'every pod',
    async () => {
      const pods = (await cluster.pods('postern')).filter(
        ({ metadata, status }) => !metadata.deletionTimestamp && status.phase !== 'Succeeded',
      );
      return pods.length >= SERVICES.length + 2 && pods.every(isReady);
    },
    300_000,
  );

const sends = async (context, after) => {
  await allReady(context);
  let answer;
  await until(
    `a message after ${after}`,
    async () => {
      answer = await context.state.sender.send(`After ${after}`).catch(error => ({ status: error.message }));
      return answer.status === 200;
    },
    120_000,
  ).catch(() => {});
  demand(`after ${after}, messages are sent again`, answer.status === 200, JSON.stringify(answer));
};

/**
 * Stops the API server, and restarts controllers and scheduler with it: in other clusters they exit when they lose leader
 * election; without leader election, the scheduler may place no pods for minutes.
 */
const restartApiServer = async ({ cluster, supervised, programs, folder }) => {
  const parts = { supervised, programs, file: name => join(folder, name) };
  await supervised.stop('kube-apiserver', 'SIGKILL');
  await new Promise(resolve => setTimeout(resolve, 60_000));
  for (const name of ['kube-controller-manager', 'kube-scheduler']) await supervised.stop(name);
  startApiServer(parts);
  await until('kube-apiserver', () => cluster.answers('/readyz'), 60_000);
  startControllers(parts);
};

/** Drains the node, as for maintenance, and uncordons it. */
const drain = async ({ cluster }) => {
  const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=240s'];
  await cluster.kubectl('drain', NODE_NAME, ...options);
  const left = (await cluster.pods('postern')).filter(({ status }) => status.phase === 'Running');
  demand('a drained node runs nothing of Postern', left.length === 0, left.map(({ metadata }) => metadata.name).join());
  await cluster.kubectl('uncordon', NODE_NAME);
};

export const run = async context => {
  const refusing = { mayRefuse: true };
  for (const service of ['email-send', 'api-gateway'])
    await underLoad(context, `${service} killed`, () => killPod(context, service), refusing);
  for (const service of ['delivery-tracking', 'webhook-dispatch', 'platform-management', 'runtime-agent'])
    await killPod(context, service);
  await sends(context, 'every service was killed');
  await underLoad(context, 'API server away for a minute', () => restartApiServer(context));
  await underLoad(context, 'PostgreSQL restarted', () => restartSet(context, 'postern-postgresql'), refusing);
  await sends(context, 'PostgreSQL was restarted');
  await underLoad(
    context,
    'Node drained',
    async () => {
      await drain(context);
      await allReady(context);
    },
    refusing,
  );
  await sends(context, 'the node was drained');
  const lost = async () => {
    await loseNatsStorage(context);
    await allReady(context);
  };
  const ids = await underLoad(context, 'NATS loses its storage', lost, refusing);
  await sends(context, 'NATS lost its storage');
  await demandDelivered(context.state, 'after NATS lost its storage', ids);
};
