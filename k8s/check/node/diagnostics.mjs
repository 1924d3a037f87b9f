/** Diagnostics of a failed stage: pods that are not ready, their events and last log lines, and errors of the node. */
import { isReady } from './kubernetes.mjs';

const LINES = 15;

const tail = text => text.trim().split('\n').slice(-LINES).join('\n');

export const printDiagnostics = async ({ cluster }) => {
  const attempt = (...args) => cluster.kubectl(...args).catch(error => error.message);
  console.error(await attempt('get', 'pods,jobs,pvc', '--all-namespaces', '--output=wide'));
  console.error(tail(await attempt('get', 'events', '--all-namespaces', '--sort-by=.lastTimestamp')));
  const { items } = await cluster.api('GET', '/api/v1/pods');
  for (const pod of items.filter(each => !isReady(each) && each.status.phase !== 'Succeeded').slice(0, 4)) {
    const { name, namespace } = pod.metadata;
    console.error(
      `--- ${namespace}/${name}\n${tail(await attempt('logs', '--namespace', namespace, name, '--all-containers'))}`,
    );
  }
};
