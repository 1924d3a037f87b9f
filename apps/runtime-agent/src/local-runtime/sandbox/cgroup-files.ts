import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readKernelFile } from '../../infrastructure/kernel-file.js';

export interface CgroupLimits {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
  /** Undefined for no upper limit. */
  readonly cpuMillicores: number | undefined;
  /** Relative share of processors and of the disk under contention; the default is 100. */
  readonly weight: number;
}

/** Files that limit a control group, and the values to write into them. */
export type LimitFiles = readonly (readonly [controller: string, file: string, value: string])[];

const PERIOD_US = 100_000;
/** The default is 1024 shares in cgroup v1, and a weight of 100 in cgroup v2. */
const SHARES_PER_WEIGHT = 10.24;

export const limitFilesV1 = (limits: CgroupLimits): LimitFiles => [
  ['memory', 'memory.limit_in_bytes', String(limits.memoryBytes)],
  // Memory and swap together; can only be set after the memory limit, and only with swap accounting.
  ['memory', 'memory.memsw.limit_in_bytes', String(limits.memoryBytes)],
  ['pids', 'pids.max', String(limits.tasks)],
  ['cpu', 'cpu.shares', String(Math.max(2, Math.round(limits.weight * SHARES_PER_WEIGHT)))],
  // Which file exists depends on the scheduler of the disk.
  ['blkio', 'blkio.weight', String(limits.weight)],
  ['blkio', 'blkio.bfq.weight', String(limits.weight)],
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
  ['cpu', 'cpu.weight', String(limits.weight)],
  ['io', 'io.weight', `default ${limits.weight}`],
  ['io', 'io.bfq.weight', String(limits.weight)],
  ...(limits.cpuMillicores === undefined
    ? []
    : ([['cpu', 'cpu.max', `${quotaUs(limits.cpuMillicores)} ${PERIOD_US}`]] as const)),
];

const quotaUs = (millicores: number): number => Math.max(1_000, Math.round((PERIOD_US * millicores) / 1_000));

/** Whether the kernel accepted the value; files that this kernel does not have are skipped. */
export const writeLimit = async (path: string, value: string): Promise<boolean> =>
  writeFile(path, value, { flag: 'r+' }).then(
    () => true,
    () => false,
  );

/** Reads a counter from an event file of either version; 0 if this kernel does not count it. */
export const readCounter = (path: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(textOf(path))?.[1] ?? 0);

/** The processes of a group; none if it does not exist. */
export const readPids = (folder: string): readonly number[] =>
  textOf(join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);

const textOf = (path: string): string => {
  try {
    return readKernelFile(path);
  } catch {
    return '';
  }
};
