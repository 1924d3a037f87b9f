import type { InstanceConnections } from '@postern/load-balancer-client';
import type { LogWriter } from '@postern/runtime';
import type { ServiceDisks } from '../disks/service-disks.js';
import type { Redactor } from '../logs/line-splitter.js';
import type { DiskImages } from '../sandbox/areas/disk-images.js';
import type { Confinement } from './confinement.js';
import type { InstanceRecords } from './instance-records.js';
import type { OtherPorts } from './other-ports.js';

/** Resource limits of one instance. */
export interface InstanceLimits {
  readonly memoryBytes: number;
  readonly cpuMillicores: number;
  /** Processes and threads. */
  readonly tasks: number;
  /** Total size of its home and its temporary files. */
  readonly diskBytes: number;
}

/** The limits that a web service can choose for its instances. */
export type InstanceSize = Pick<InstanceLimits, 'memoryBytes' | 'cpuMillicores'>;

/** The parts and settings of the machine that instances use. */
export interface InstanceHost {
  readonly instanceRecords: InstanceRecords;
  readonly confinement: Confinement;
  readonly connections: Pick<InstanceConnections, 'open'>;
  readonly otherPorts: OtherPorts;
  readonly disks: ServiceDisks;
  /** Undefined if the kernel cannot limit the files of instances; they are then measured. */
  readonly images: DiskImages | undefined;
  readonly logs: { writer(webServiceId: string, instance: string, secrets: readonly string[]): LogWriter };
  readonly redactor: (secrets: readonly string[]) => Redactor;
  readonly limits: InstanceLimits;
  /** The PATH of instances. */
  readonly path: string;
  /** The URL of the API gateway for instances. */
  readonly platformUrl: string;
}
