import { InstanceConnections } from '@postern/load-balancer-client';
import { OutboundGuard } from '@postern/outbound';
import { LIMITS } from './assemble-local-runtime.js';
import { assembleLocalBuilds, type LocalBuildsOptions } from './build/assemble-local-builds.js';
import { ServiceDisks } from './disks/service-disks.js';
import { homePrefix } from './instances/home-prefix.js';
import type { InstanceHost } from './instances/instance-host.js';
import { InstanceRecords } from './instances/instance-records.js';
import { MarkedProcesses } from './instances/marked-processes.js';
import { OrphanedInstances } from './instances/orphaned-instances.js';
import { OtherPorts } from './instances/other-ports.js';
import { LogStore } from './logs/log-store.js';
import { redactor } from './redactor.js';
import { HomeOwnership } from './rolls/home-ownership.js';
import { existingNetworks } from './sandbox/network/open-networks.js';

/** Discards all messages, so that only the caller writes to the terminal. */
const log = { info() {}, warn() {}, error() {} };

/**
 * Stops all instances and builds of a home, whichever process started them, and kills the remaining processes after
 * `graceMs`. Their last log lines are kept; the web services start again when Postern starts.
 */
export const stopEverything = async (
  platformHome: string,
  graceMs = 5_000,
  options: Pick<LocalBuildsOptions, 'sandboxFrames'> = {},
): Promise<void> => {
  const networks = (await existingNetworks(platformHome)) ?? { unavailable: 'none was opened' };
  const { builds, confinement, path, platformUrl, images } = await assembleLocalBuilds({
    platformHome,
    network: { networks, gateway: { host: '127.0.0.1', port: 0 } },
    allowFileRepositories: false,
    guard: new OutboundGuard({ allowPrivate: false }),
    instanceLimits: LIMITS,
    log,
    ...options,
  });
  await new HomeOwnership(platformHome).take();
  const logs = new LogStore(platformHome, redactor);
  const instanceRecords = new InstanceRecords(platformHome);
  const disks = new ServiceDisks(platformHome, confinement, images);
  const connections = new InstanceConnections(platformHome);
  const otherPorts = new OtherPorts();
  const parts = { instanceRecords, confinement, connections, otherPorts, logs, redactor, disks, images };
  const host: InstanceHost = { ...parts, limits: LIMITS, path, platformUrl };
  const orphanedInstances = new OrphanedInstances(host, new MarkedProcesses(), homePrefix(platformHome), log);
  const instances = await orphanedInstances.adopt();
  await Promise.allSettled(instances.map(instance => instance.end(graceMs)));
  await orphanedInstances.clear(() => false);
  await builds.reconcile();
  await logs.close();
};
