import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { processEntry, statusOf } from '../../infrastructure/process-table.js';

/** Identifies the processes of one database by working directory and user. */
export interface ProcessMarks {
  /** The working directory of every process of the database. */
  readonly folder: string;
  /** The user that runs only this database; undefined if all databases run as the platform's user. */
  readonly uid: number | undefined;
}

/**
 * Every process of a database, found in `/proc` instead of stored process ids. So no process that was started just
 * before a kill is missed, and no unrelated process with a reused id is included.
 */
export const processesOf = async ({ folder, uid }: ProcessMarks): Promise<number[]> => {
  const place = await stat(folder).catch(() => undefined);
  if (!place) return [];
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number);
  const matches = await Promise.all(pids.map(pid => belongs(pid, place, uid).catch(() => false)));
  return pids.filter((_, n) => matches[n]);
};

/** Compares the folder itself: in another mount namespace, it has another path. */
const belongs = async (pid: number, place: Stats, uid: number | undefined): Promise<boolean> => {
  if (uid !== undefined && (await stat(`/proc/${pid}`)).uid !== uid) return false;
  const { dev, ino } = await stat(`/proc/${pid}/cwd`).catch((error: NodeJS.ErrnoException) => {
    // Root without CAP_SYS_PTRACE, for example in a container, may not follow the link: then only the user is compared.
    if (error.code === 'EACCES' && uid !== undefined) return place;
    throw error;
  });
  return dev === place.dev && ino === place.ino && processEntry(pid) !== undefined;
};

/**
 * Ends every process of a database. Sends the signal only to processes without a parent among them, because
 * PostgreSQL's server ends its own child processes; kills all after `graceMs`. None runs when it returns.
 */
export const endProcesses = async (marks: ProcessMarks, signal: NodeJS.Signals, graceMs: number): Promise<void> => {
  const killAt = Date.now() + graceMs;
  let signalled = false;
  for (let round = 0; ; round++) {
    const pids = await processesOf(marks);
    if (pids.length === 0) return;
    if (Date.now() >= killAt) for (const pid of pids) send(pid, 'SIGKILL');
    else if (!signalled) for (const pid of leadersOf(pids)) send(pid, signal);
    signalled = true;
    if (Date.now() > killAt + 30_000) throw new Error(`processes ${pids.join(', ')} do not end`);
    await pause(Math.min(10 + round * 10, 100));
  }
};

/** The processes whose parent is not among the others. */
export const leadersOf = (pids: readonly number[]): number[] =>
  pids.filter(pid => !pids.includes(processEntry(pid)?.parent ?? 0));

/** Ignores a process that has ended meanwhile. */
export const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** CPU seconds since the start of each process, including ended children; and bytes of memory in use. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/**
 * The total usage. Memory shared by the processes (PostgreSQL's buffers and program) counts once: every process maps
 * parts of the same pages, so the largest part is used for all.
 */
export const usageOf = (pids: readonly number[]): ProcessUsage => {
  let cpuMs = 0;
  let own = 0;
  let shared = 0;
  for (const pid of pids) {
    const entry = processEntry(pid);
    const status = statusOf(pid);
    if (!entry || status === undefined) continue;
    cpuMs += entry.cpuMs;
    own += kilobytesOf(status, 'RssAnon');
    shared = Math.max(shared, kilobytesOf(status, 'RssShmem') + kilobytesOf(status, 'RssFile'));
  }
  return { cpuSeconds: cpuMs / 1_000, memoryBytes: (own + shared) * 1024 };
};

const kilobytesOf = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
