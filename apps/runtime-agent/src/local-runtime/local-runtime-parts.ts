import type { LoadBalancerClient } from '@postern/load-balancer-client';
import type { Log } from '@postern/messaging';
import type { RuntimeFeature } from '@postern/runtime';
import type { Builds } from './build/builds.js';
import type { Commands } from './commands/commands.js';
import type { DiskBackups } from './disks/disk-backups.js';
import type { ServiceDisks } from './disks/service-disks.js';
import type { InstanceRecords } from './instances/instance-records.js';
import type { InstanceStarter } from './instances/instance-starter.js';
import type { OrphanedInstances } from './instances/orphaned-instances.js';
import type { LogStore } from './logs/log-store.js';
import type { BalancerPorts } from './rolls/balancer-ports.js';
import type { HomeOwnership } from './rolls/home-ownership.js';
import type { InstanceMonitor } from './rolls/instance-monitor.js';
import type { RuntimeTimes } from './rolls/runtime-times.js';
import type { ServiceNames } from './rolls/service-names.js';
import type { Terminals } from './terminals/terminals.js';

export interface LocalRuntimeParts {
  readonly builds: Builds;
  readonly instanceRecords: InstanceRecords;
  readonly starter: InstanceStarter;
  readonly commands: Commands;
  readonly terminals: Terminals;
  readonly orphanedInstances: OrphanedInstances;
  readonly monitor: InstanceMonitor;
  readonly balancer: LoadBalancerClient;
  readonly ports: BalancerPorts;
  readonly names: ServiceNames;
  readonly ownership: HomeOwnership;
  readonly logs: LogStore;
  readonly disks: ServiceDisks;
  readonly diskBackups: DiskBackups;
  readonly times: RuntimeTimes;
  readonly isolationGaps: readonly string[];
  readonly features: ReadonlySet<RuntimeFeature>;
  readonly log: Log;
}
