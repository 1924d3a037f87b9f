import type { LoadBalancerClient } from '@postern/load-balancer-client';
import type { RuntimeStatus } from '@postern/runtime';
import type { InstanceRecords } from './instance-records.js';

/** The status for a process that is not the leader. An instance with traffic counts as healthy. */
export const recordedStatus = async (
  { instanceRecords, balancer }: { readonly instanceRecords: InstanceRecords; readonly balancer: LoadBalancerClient },
  webServiceId: string,
): Promise<RuntimeStatus | undefined> => {
  const ofService = (await instanceRecords.list()).filter(record => record.webServiceId === webServiceId);
  const records = ofService.filter(({ port }) => port !== undefined);
  const route = (await balancer.routes()).find(({ id }) => id === webServiceId);
  const routed = new Set(route?.backends.map(({ id }) => id));
  const serving = records.find(({ id }) => routed.has(id)) ?? records.at(-1);
  if (!serving && route?.closed !== 'asleep') return undefined;
  // The release is not recorded while no instance runs.
  if (!serving) return { rollId: '', healthy: 0, instances: 0, lastFailure: undefined, restarts: 0, asleep: true };
  const ofRoll = records.filter(({ rollId }) => rollId === serving.rollId);
  const healthy = ofRoll.filter(({ id }) => routed.has(id)).length;
  return { rollId: serving.rollId, healthy, instances: ofRoll.length, lastFailure: undefined, restarts: 0 };
};
