import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from './turns.js';

/** One process, from /proc/<pid>/stat. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Since boot, in clock ticks (100 per second on Linux). Together with the pid it identifies a process uniquely. */
  readonly startTime: string;
  /** Of the process and of the children that it has waited for. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** Limits the number of open files: users can create many processes. */
const turns = new Turns(64);

/** Errors for a process that has ended or that Postern may not read. Other errors, such as EMFILE, do not mean that. */
const GONE = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

const undefinedIfGone = (error: unknown): undefined => {
  if (!GONE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
};

const readText = (path: string, encoding: 'latin1' | 'utf8'): Promise<string | undefined> =>
  turns.take(() => readFile(path, encoding).catch(undefinedIfGone));

const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** Larger than any /proc/<pid>/stat. */
const line = Buffer.allocUnsafe(4_096);

/**
 * Reads into one buffer: `readFile` allocates 64 KiB per read of a file of unknown size, which costs 5 % of a CPU in
 * garbage collection with a few hundred processes every two seconds.
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

/** Returns the process; undefined if it has ended or is a zombie. */
export const processEntry = (pid: number): ProcessEntry | undefined => {
  const stat = statOf(pid);
  if (stat === undefined) return undefined;
  // The name in parentheses may contain spaces and parentheses.
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

/** Limits the entries that are read synchronously before other work runs: users can create many processes. */
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
  const text = await readText(`/proc/${pid}/environ`, 'utf8');
  if (text === undefined) return undefined;
  return new Map(
    text.split('\0').flatMap(entry => {
      const split = entry.indexOf('=');
      return split > 0 ? [[entry.slice(0, split), entry.slice(split + 1)] as const] : [];
    }),
  );
};

/** Whether every process handles the signal. Without a handler, SIGTERM ends a process at once. */
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

/** Whether the process is in a control group of that name. */
export const isInGroupOf = async (pid: number, name: string): Promise<boolean> =>
  (await readText(`/proc/${pid}/cgroup`, 'latin1'))?.includes(`/${name}\n`) ?? false;
