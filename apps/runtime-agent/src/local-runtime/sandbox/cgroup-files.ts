import { readFile, writeFile } from 'node:fs/promises';

export interface CgroupLimits {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
  /** Undefined where there is no upper bound. */
  readonly cpuMillicores: number | undefined;
  /** Its share when all want the processor; 100 is everybody's. */
  readonly cpuWeight: number;
}

/** Files that limit a group, and what to write into them. */
export type LimitFiles = readonly (readonly [controller: string, file: string, value: string])[];

const PERIOD_US = 100_000;
/** Version 1 counts shares from 1024. */
const SHARES_PER_WEIGHT = 10.24;

export const limitFilesV1 = (limits: CgroupLimits): LimitFiles => [
  ['memory', 'memory.limit_in_bytes', String(limits.memoryBytes)],
  // Memory and swap together; only after the other, and only where swap is accounted for.
  ['memory', 'memory.memsw.limit_in_bytes', String(limits.memoryBytes)],
  ['pids', 'pids.max', String(limits.tasks)],
  ['cpu', 'cpu.shares', String(Math.max(2, Math.round(limits.cpuWeight * SHARES_PER_WEIGHT)))],
  ...(limits.cpuMillicores === undefined
    ? []
    : ([
        ['cpu', 'cpu.cfs_period_us', String(PERIOD_US)],
        ['cpu', 'cpu.cfs_quota_us', String(quotaUs(limits.cpuMillicores))],
      ] as const)),
];

export const limitFilesV2 = (limits: CgroupLimits): LimitFiles => [
  ['memory', 'memory.max', String(limits.memoryBytes)],
  ['memory', 'memory.swap.max', '0'],
  ['pids', 'pids.max', String(limits.tasks)],
  ['cpu', 'cpu.weight', String(limits.cpuWeight)],
  ...(limits.cpuMillicores === undefined
    ? []
    : ([['cpu', 'cpu.max', `${quotaUs(limits.cpuMillicores)} ${PERIOD_US}`]] as const)),
];

const quotaUs = (millicores: number): number => Math.max(1_000, Math.round((PERIOD_US * millicores) / 1_000));

/** Whether the kernel took the value; files that this kernel does not have are passed over. */
export const writeLimit = async (path: string, value: string): Promise<boolean> =>
  writeFile(path, value, { flag: 'r+' }).then(
    () => true,
    () => false,
  );

/** A counter of either version's files of events; 0 where this kernel does not count it. */
export const readCounter = async (path: string, name: string): Promise<number> => {
  const text = await readFile(path, 'latin1').catch(() => '');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
};
