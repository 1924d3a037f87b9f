import { readdirSync, readFileSync } from 'node:fs';

/** Ticks per second of /proc/<pid>/stat; USER_HZ is 100 on all supported architectures. */
const TICKS_PER_SECOND = 100;

interface ProcessStat {
  readonly parent: number;
  /** User and system time of the process and its ended children, in milliseconds. */
  readonly cpuMs: number;
  readonly startedAtMs: number;
}

/** Undefined for a process that has ended. */
const statOf = (pid: number): ProcessStat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and can contain any character; fields follow the last parenthesis.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + (fields[field] ?? 0), 0);
    return {
      parent: fields[1] ?? 0,
      cpuMs: (ticks * 1_000) / TICKS_PER_SECOND,
      startedAtMs: ((fields[19] ?? 0) * 1_000) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined;
  }
};

/** All processes of the machine by parent. */
const familyTree = (): ((root: number) => readonly number[]) => {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? statOf(pid) : undefined;
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), pid]);
  }
  return root => {
    const found = [root];
    for (const pid of found) found.push(...(children.get(pid) ?? []));
    return found;
  };
};

/** CPU time of each process and all its descendants, ended ones included, in milliseconds since their start. */
export const cpuOf = (pids: Readonly<Record<string, number>>): Record<string, number> => {
  const family = familyTree();
  const cpu = (root: number) => family(root).reduce((sum, pid) => sum + (statOf(pid)?.cpuMs ?? 0), 0);
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpu(pid)]));
};

const memoryLine = (pid: number, line: 'VmHWM' | 'VmRSS'): number => {
  try {
    const kilobytes = new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'latin1'),
    )?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/** The largest peak of a process and its descendants, in MiB; a sum would count shared pages repeatedly. */
export const peakMemoryOf = (pid: number): number =>
  Math.max(...familyTree()(pid).map(one => memoryLine(one, 'VmHWM')));

export const residentMemoryOf = (pid: number): number => memoryLine(pid, 'VmRSS');

/** Milliseconds since the process was started. */
export const ageMsOf = (pid: number): number => {
  const uptimeMs = Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1_000;
  return uptimeMs - (statOf(pid)?.startedAtMs ?? uptimeMs);
};
