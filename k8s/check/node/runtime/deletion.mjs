/** Deletes a web service, and verifies that all its objects in the cluster are deleted. */
import { demand } from '../../../../docker/check/report.mjs';
import { eventually } from './platform.mjs';

const KINDS = [
  'deployments',
  'replicasets',
  'services',
  'secrets',
  'configmaps',
  'poddisruptionbudgets',
  'horizontalpodautoscalers',
  'pods',
  'jobs',
  'ingresses',
  'persistentvolumeclaims',
].join();

/** All its objects in the tenant namespace, by label or by name. */
const objectsOf = async ({ cluster }, { id }) => {
  const namesOf = async (...options) => {
    const printed = await cluster.kubectl(
      'get',
      KINDS,
      '--namespace',
      'postern-tenants',
      '--output',
      'name',
      ...options,
    );
    return printed.trim().split('\n').filter(Boolean);
  };
  const labelled = await namesOf('--selector', `postern.dev/web-service=${id}`);
  const named = (await namesOf()).filter(name => name.includes(id));
  return [...new Set([...labelled, ...named])];
};

/** @param meanwhile what happens after the request. */
export const deletesEverything = async (context, service, meanwhile = async () => {}, claim = 'deletion') => {
  const before = await objectsOf(context, service);
  demand(`a web service has ${before.length} objects in the cluster`, before.length > 0);
  await service.request('DELETE');
  await meanwhile();
  await eventually('the end of its objects', async () => {
    const left = await objectsOf(context, service);
    if (left.length > 0) throw new Error(left.join());
    return true;
  });
  demand(`${claim} leaves nothing of it in the namespace`, true);
};
