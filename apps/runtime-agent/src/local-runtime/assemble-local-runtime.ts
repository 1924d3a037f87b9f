import { InstanceConnections, LoadBalancerClient } from '@postern/load-balancer-client';
import type { Log } from '@postern/messaging';
import type { RuntimeFeature } from '@postern/runtime';
import type { Builds } from './build/builds.js';
import { CommandStore } from './commands/command-store.js';
import { Commands } from './commands/commands.js';
import { DiskBackups } from './disks/disk-backups.js';
import { ServiceDisks } from './disks/service-disks.js';
import type { Confinement } from './instances/confinement.js';
import type { InstanceLimits } from './instances/instance-host.js';
import { InstanceRecords } from './instances/instance-records.js';
import { InstanceStarter, type LaunchOf } from './instances/instance-starter.js';
import { MarkedProcesses } from './instances/marked-processes.js';
import { OrphanedInstances } from './instances/orphaned-instances.js';
import { OtherPorts } from './instances/other-ports.js';
import { LocalRuntime } from './local-runtime.js';
import type { Redactor } from './logs/line-splitter.js';
import { LogStore } from './logs/log-store.js';
import { BalancerPorts } from './rolls/balancer-ports.js';
import { HomeOwnership } from './rolls/home-ownership.js';
import { InstanceMonitor } from './rolls/instance-monitor.js';
import { type RuntimeTimes, TIMES } from './rolls/runtime-times.js';
import { ServiceNames } from './rolls/service-names.js';
import type { DiskImages } from './sandbox/areas/disk-images.js';
import type { PrivateNetwork } from './sandbox/network/private-network.js';
import type { TenantNetworks } from './sandbox/network/tenant-network.js';
import { hasTerminals } from './terminals/terminal-program.js';
import { inTerminal, Terminals } from './terminals/terminals.js';

const BALANCER_TIMEOUT_MS = 10_000;
const FEATURES = [
  'customDomains',
  'instance',
  'drainSeconds',
  'releaseCommand',
  'processes',
  'disk',
  'diskBackups',
  'secretFiles',
  'healthCheck',
  'firstByteTimeout',
  'autoscaling',
  'requestScaling',
  'runs',
  'uploads',
] as const;

export const LIMITS: InstanceLimits = {
  memoryBytes: 512 * 2 ** 20,
  cpuMillicores: 1_000,
  tasks: 256,
  diskBytes: 2 * 2 ** 30,
};

export interface LocalRuntimeOptions {
  readonly platformHome: string;
  readonly builds: Builds;
  readonly launchOf: LaunchOf;
  readonly confinement: Confinement;
  readonly redactor: (secrets: readonly string[]) => Redactor;
  /** The PATH of instances. */
  readonly path: string;
  /** The URL of the API gateway for instances. */
  readonly platformUrl: string;
  /** The networks of sandboxes; undefined if they share that of the machine. */
  readonly networks: TenantNetworks | undefined;
  /** The names of web services within their projects; undefined if sandboxes share the network of the machine. */
  readonly privateNetwork?: PrivateNetwork | undefined;
  readonly log: Log;
  /** Undefined if the kernel cannot limit the files of instances. */
  readonly images?: DiskImages | undefined;
  readonly isolationGaps?: readonly string[];
  /** Whether images of registries can be run. */
  readonly runsImages?: boolean;
  /** Whether the operator runs the code of several workspaces in one network all the same. */
  readonly acceptsSharedNetwork?: boolean;
  readonly limits?: Partial<InstanceLimits>;
  readonly times?: Partial<RuntimeTimes>;
  /** How long an order waits for a load balancer that does not respond. */
  readonly balancerTimeoutMs?: number;
}

/** Creates the local runtime. It starts and changes nothing before the first order. */
export const assembleLocalRuntime = (options: LocalRuntimeOptions): LocalRuntime => {
  const { platformHome, confinement, redactor, path, platformUrl, log, images } = options;
  const logs = new LogStore(platformHome, redactor);
  const balancer = new LoadBalancerClient(platformHome, {
    timeoutMs: options.balancerTimeoutMs ?? BALANCER_TIMEOUT_MS,
  });
  const limits = { ...LIMITS, ...options.limits };
  const instanceRecords = new InstanceRecords(platformHome);
  const disks = new ServiceDisks(platformHome, confinement, images);
  const connections = new InstanceConnections(platformHome);
  const otherPorts = new OtherPorts();
  const places = { confinement, connections, otherPorts, disks, images };
  const host = { instanceRecords, logs, redactor, limits, path, platformUrl, ...places };
  const starter = new InstanceStarter(host, options.launchOf, platformHome);
  const processes = new MarkedProcesses();
  const times = { ...TIMES, ...options.times };
  const ownership = new HomeOwnership(platformHome);
  const terminals = new Terminals();
  const commands = new Commands(new CommandStore(platformHome), {
    start: async ({ isRelease, ...order }, cancel) => {
      if (!(await ownership.isMine())) throw new Error('another process runs the commands now');
      if (!order.terminal) return starter.startCommand(order, { stream: isRelease ? 'build' : undefined });
      return terminals.start(order, order.terminal, cancel, descriptor =>
        starter.startCommand(inTerminal(order), { terminal: descriptor }),
      );
    },
    graceMs: times.graceMs,
    log,
  });
  const isNetworkShared = options.networks === undefined && options.acceptsSharedNetwork !== true;
  const ports = new BalancerPorts(balancer, options.networks);
  return new LocalRuntime({
    builds: options.builds,
    instanceRecords,
    starter,
    commands,
    terminals,
    orphanedInstances: new OrphanedInstances(host, processes, starter.idPrefix, log),
    monitor: new InstanceMonitor(processes, balancer, times, log),
    balancer,
    ports,
    names: new ServiceNames(ports, options.privateNetwork),
    ownership,
    logs,
    disks,
    diskBackups: new DiskBackups(disks, instanceRecords),
    times,
    features: new Set<RuntimeFeature>([
      ...FEATURES,
      ...(options.runsImages ? (['images', 'dockerfileOptions'] as const) : []),
      ...(isNetworkShared ? ['sharedNetwork' as const] : []),
      ...(hasTerminals() ? ['terminals' as const] : []),
    ]),
    isolationGaps: options.isolationGaps ?? [],
    log,
  });
};
