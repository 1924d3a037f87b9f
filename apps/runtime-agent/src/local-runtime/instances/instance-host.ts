import type { LogWriter } from '@postern/runtime';
import type { Redactor } from '../logs/line-splitter.js';
import type { Confinement } from './confinement.js';
import type { InstanceLedger } from './instance-ledger.js';

/** What every instance may use for itself. */
export interface InstanceLimits {
  readonly memoryBytes: number;
  readonly cpuMillicores: number;
  /** Processes and threads. */
  readonly tasks: number;
}

/** What instances need of the machine that they run on. */
export interface InstanceHost {
  readonly ledger: InstanceLedger;
  readonly confinement: Confinement;
  readonly logs: { writer(webServiceId: string, instance: string, secrets: readonly string[]): LogWriter };
  readonly redactor: (secrets: readonly string[]) => Redactor;
  readonly limits: InstanceLimits;
  /** Where programs are looked for. */
  readonly path: string;
}
