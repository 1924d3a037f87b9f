import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from './turns.js';

/** One line of the kernel's process table; times in clock ticks, of which Linux counts 100 a second for everybody. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Since boot; with the pid it names a process for ever. */
  readonly startTime: string;
  /** Of itself and of the children that it has waited for. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** However many processes there are, and somebody may see to it that they are many: few files are open at a time. */
const turns = new Turns(64);

/** Errors of a process that is gone or not ours to read. Any other says nothing about it, such as too many open files. */
const GONE = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

const undefinedIfGone = (error: unknown): undefined => {
  if (!GONE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
};

const readText = (path: string, encoding: 'latin1' | 'utf8'): Promise<string | undefined> =>
  turns.take(() => readFile(path, encoding).catch(undefinedIfGone));

const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** More than a line of the table can be long. */
const line = Buffer.allocUnsafe(4_096);

/**
 * Reads into one buffer: a file of unknown size, as here, costs 64 KiB of new memory per read, and scans of a few hundred
 * processes every two seconds kept the garbage collector busy for 5 % of a processor.
 */
const statOf = (pid: number): string | undefined => {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/stat`, 'r');
    return line.toString('latin1', 0, readSync(file, line, 0, line.length, 0));
  } catch (error) {
    return undefinedIfGone(error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
};

/** The process, unless it is gone or only its exit status remains. */
export const processEntry = (pid: number): ProcessEntry | undefined => {
  const stat = statOf(pid);
  if (stat === undefined) return undefined;
  // The name in parentheses may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (index: number) => Number(fields[index]);
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return {
    pid,
    parent: number(1),
    group: number(2),
    session: number(3),
    startTime: fields[19] ?? '',
    cpuMs: (number(11) + number(12) + number(13) + number(14)) * TICK_MS,
    memoryBytes: number(21) * PAGE_BYTES,
  };
};

/** Somebody may see to it that the processes are many: others get their turn between so many of them. */
const ENTRIES_A_TURN = 64;

/** All processes of this machine. */
export const allProcesses = async (): Promise<readonly ProcessEntry[]> => {
  const entries: ProcessEntry[] = [];
  const pids = await allPids();
  for (let from = 0; from < pids.length; from += ENTRIES_A_TURN) {
    for (const pid of pids.slice(from, from + ENTRIES_A_TURN)) {
      const entry = processEntry(pid);
      if (entry) entries.push(entry);
    }
    await nextTurn();
  }
  return entries;
};

/** The processes that it has started, and those that they have. */
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

/** What the process was started with; undefined when it is gone or not ours to look at. */
export const environmentOf = async (pid: number): Promise<ReadonlyMap<string, string> | undefined> => {
  const text = await readText(`/proc/${pid}/environ`, 'utf8');
  if (text === undefined) return undefined;
  return new Map(
    text.split('\0').flatMap(entry => {
      const split = entry.indexOf('=');
      return split > 0 ? [[entry.slice(0, split), entry.slice(split + 1)] as const] : [];
    }),
  );
};

/** Whether every process handles the signal; by default SIGTERM ends one at once. */
export const catchAll = async (processes: readonly ProcessEntry[], signal: NodeJS.Signals): Promise<boolean> => {
  const bit = 1n << BigInt(constants.signals[signal] - 1);
  const masks = await Promise.all(
    processes.map(async ({ pid }) => {
      const status = (await readText(`/proc/${pid}/status`, 'latin1')) ?? '';
      return BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
    }),
  );
  return masks.every(mask => (mask & bit) !== 0n);
};

/** Whether it lives in a control group of that name. */
export const isInGroupOf = async (pid: number, name: string): Promise<boolean> =>
  (await readText(`/proc/${pid}/cgroup`, 'latin1'))?.includes(`/${name}\n`) ?? false;
