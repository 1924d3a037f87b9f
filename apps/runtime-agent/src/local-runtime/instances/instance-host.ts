import type { LogWriter } from '@postern/runtime';
import type { ServiceDisks } from '../disks/service-disks.js';
import type { Redactor } from '../logs/line-splitter.js';
import type { Confinement } from './confinement.js';
import type { InstanceRecords } from './instance-records.js';

/** What every instance may use for itself. */
export interface InstanceLimits {
  readonly memoryBytes: number;
  readonly cpuMillicores: number;
  /** Processes and threads. */
  readonly tasks: number;
  /** Of its home and its temporary files together. */
  readonly diskBytes: number;
}

/** What a web service may choose for its instances. */
export type InstanceSize = Pick<InstanceLimits, 'memoryBytes' | 'cpuMillicores'>;

/** What instances need of the machine that they run on. */
export interface InstanceHost {
  readonly instanceRecords: InstanceRecords;
  readonly confinement: Confinement;
  readonly disks: ServiceDisks;
  readonly logs: { writer(webServiceId: string, instance: string, secrets: readonly string[]): LogWriter };
  readonly redactor: (secrets: readonly string[]) => Redactor;
  readonly limits: InstanceLimits;
  /** Where programs are looked for. */
  readonly path: string;
}
