import { readdir, readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { readKernelFile } from './kernel-file.js';

/** One process, from /proc/<pid>/stat. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Since boot, in clock ticks (100 per second on Linux). Together with the pid it identifies a process uniquely. */
  readonly startTime: string;
  /** Where the memory of the process has its initial environment: changes with exec; '0' if Postern may not know it. */
  readonly environmentAddress: string;
  /** Of the process and of the children that it has waited for. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** Limits the number of open files: users can create many processes. */
const readLimit = pLimit(64);

/** Errors for a process that has ended or that Postern may not read. Other errors, such as EMFILE, do not mean that. */
const UNREADABLE = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

const undefinedIfUnreadable = (error: unknown): undefined => {
  if (!UNREADABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
};

/** The text of a file in /proc; undefined if the process has ended or Postern may not read it. */
const textOf = (path: string): string | undefined => {
  try {
    return readKernelFile(path);
  } catch (error) {
    return undefinedIfUnreadable(error);
  }
};

const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** PF_KTHREAD: the task is a thread of the kernel. */
const KERNEL_THREAD = 0x20_0000;

/** Returns the process; undefined if it has ended, is a zombie or a thread of the kernel. */
export const processEntry = (pid: number): ProcessEntry | undefined => {
  const stat = textOf(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (index: number) => Number(fields[index]);
  if (fields[0] === 'Z' || fields[0] === 'X' || (number(6) & KERNEL_THREAD) !== 0) return undefined;
  return {
    pid,
    parent: number(1),
    group: number(2),
    session: number(3),
    startTime: fields[19] ?? '',
    environmentAddress: fields[47] ?? '0',
    cpuMs: (number(11) + number(12) + number(13) + number(14)) * TICK_MS,
    memoryBytes: number(21) * PAGE_BYTES,
  };
};

/** Limits the processes that are read synchronously before other work runs: users can create many processes. */
const PROCESSES_A_TURN = 64;

/** Returns what `read` finds for each process of this machine, without undefined. */
const ofAllProcesses = async <T>(read: (pid: number) => T | undefined): Promise<readonly T[]> => {
  const found: T[] = [];
  const pids = await allPids();
  for (let from = 0; from < pids.length; from += PROCESSES_A_TURN) {
    for (const pid of pids.slice(from, from + PROCESSES_A_TURN)) {
      const value = read(pid);
      if (value !== undefined) found.push(value);
    }
    await nextTurn();
  }
  return found;
};

/** All processes of this machine. */
export const allProcesses = (): Promise<readonly ProcessEntry[]> => ofAllProcesses(processEntry);

/** All processes of a user, also those that have ended and still have an entry. */
export const pidsOfUser = (uid: number): Promise<readonly number[]> => {
  const owner = new RegExp(`^Uid:\\s+${uid}\\s`, 'm');
  return ofAllProcesses(pid => (owner.test(statusOf(pid) ?? '') ? pid : undefined));
};

/** The text of /proc/<pid>/status; undefined if the process has ended. */
export const statusOf = (pid: number): string | undefined => textOf(`/proc/${pid}/status`);

/** Returns all descendants of a process. */
export const descendantsOf = async (pid: number): Promise<readonly number[]> => {
  const children = Map.groupBy(await allProcesses(), ({ parent }) => parent);
  const found: number[] = [];
  const parents = [pid];
  for (let parent = parents.shift(); parent !== undefined; parent = parents.shift()) {
    const pids = (children.get(parent) ?? []).map(child => child.pid);
    found.push(...pids);
    parents.push(...pids);
  }
  return found;
};

export const allPids = async (): Promise<readonly number[]> =>
  (await readdir('/proc')).map(Number).filter(pid => Number.isInteger(pid) && pid > 0);

/** The initial environment of the process; undefined if it has ended or Postern may not read it. */
export const environmentOf = async (pid: number): Promise<ReadonlyMap<string, string> | undefined> => {
  // Asynchronous, because the kernel reads the memory of the process and may have to wait for it.
  const text = await readLimit(() => readFile(`/proc/${pid}/environ`, 'utf8').catch(undefinedIfUnreadable));
  if (text === undefined) return undefined;
  return new Map(
    text.split('\0').flatMap(entry => {
      const split = entry.indexOf('=');
      return split > 0 ? [[entry.slice(0, split), entry.slice(split + 1)] as const] : [];
    }),
  );
};

/** Whether the process is in a control group of that name. */
export const isInGroupOf = (pid: number, name: string): boolean =>
  textOf(`/proc/${pid}/cgroup`)?.includes(`/${name}\n`) ?? false;
