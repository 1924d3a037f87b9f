import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A file of /proc, or an empty text if the process has ended. */
const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const pids = (): number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number);

/** The state and the parent from /proc/<pid>/stat. */
const statOf = (pid: number): { state: string; parent: number } | undefined => {
  const [, state = '', parent] = /.*\) (\S) (\d+)/s.exec(textOf(`/proc/${pid}/stat`)) ?? [];
  return parent === undefined ? undefined : { state, parent: Number(parent) };
};

export const isAlive = (pid: number): boolean => {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== 'Z';
};

export const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();

export const childrenOf = (parent: number): number[] => pids().filter(pid => statOf(pid)?.parent === parent);

/** Running processes with the mark in their arguments or environment, except this process. */
export const processesWith = (mark: string): number[] =>
  pids().filter(
    pid =>
      pid !== process.pid &&
      isAlive(pid) &&
      (textOf(`/proc/${pid}/cmdline`).includes(mark) || textOf(`/proc/${pid}/environ`).includes(mark)),
  );

/** Sends a signal; does nothing if the process has ended. */
export const signal = (pid: number | undefined, name: NodeJS.Signals): void => {
  if (pid === undefined || pid <= 1) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** Resident memory in MiB. */
export const memoryOf = (pid: number): number => mibIn(pid, /^VmRSS:\s+(\d+) kB/m);

/** Resident anonymous memory in MiB (RssAnon). */
export const privateMemoryOf = (pid: number): number => mibIn(pid, /^RssAnon:\s+(\d+) kB/m);

const mibIn = (pid: number, field: RegExp): number =>
  Number(field.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024;

/** Nanoseconds that the threads of a process ran, and that they waited for a CPU. */
export const schedulingOf = (pid: number): { ran: number; waited: number } => {
  let [ran, waited] = [0, 0];
  const threads = (() => {
    try {
      return readdirSync(`/proc/${pid}/task`);
    } catch {
      return [];
    }
  })();
  for (const thread of threads) {
    const [ranNs = 0, waitedNs = 0] = textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ').map(Number);
    ran += ranNs;
    waited += waitedNs;
  }
  return { ran, waited };
};

/** Number of open file descriptors of a process. */
export const openHandlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Sets the soft limit of open files. @returns the previous limit. */
export const limitHandles = (pid: number, limit: string): string => {
  const [before = ''] = /^Max open files\s+(\S+)/m.exec(textOf(`/proc/${pid}/limits`))?.slice(1) ?? [];
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`], { stdio: 'pipe' });
  return before;
};
