import { readdir, readlink, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { readKernelFile } from '../infrastructure/kernel-file.js';

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
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number);
  const matches = await Promise.all(pids.map(pid => belongs(pid, folder, uid).catch(() => false)));
  return pids.filter((_, n) => matches[n]);
};

const belongs = async (pid: number, folder: string, uid: number | undefined): Promise<boolean> => {
  if (uid !== undefined && (await stat(`/proc/${pid}`)).uid !== uid) return false;
  const place = await readlink(`/proc/${pid}/cwd`).catch((error: NodeJS.ErrnoException) => {
    // Root without CAP_SYS_PTRACE, for example in a container, may not read the link: then only the user is compared.
    if (error.code === 'EACCES' && uid !== undefined) return folder;
    throw error;
  });
  if (place !== folder && place !== `${folder} (deleted)`) return false;
  return stateOf(pid) !== 'Z';
};

/** The kernel's state letter: R running, S sleeping, Z a zombie that its parent has not reaped. */
const stateOf = (pid: number): string | undefined => fieldsOf(pid)[0];

/**
 * The fields of `/proc/<pid>/stat` (proc(5)) after the name, beginning with the third field, the state.
 * @throws if the process has ended.
 */
const fieldsOf = (pid: number): string[] => {
  const line = readKernelFile(`/proc/${pid}/stat`);
  return line.slice(line.lastIndexOf(')') + 2).split(' ');
};

/**
 * Ends every process of a database. Sends the signal only to processes without a parent among them, because
 * PostgreSQL's server ends its own child processes; kills all after `graceMs`. None runs when it returns.
 */
export const endProcesses = async (marks: ProcessMarks, signal: NodeJS.Signals, graceMs: number): Promise<void> => {
  const killAt = Date.now() + graceMs;
  let asked = false;
  for (let round = 0; ; round++) {
    const pids = await processesOf(marks);
    if (pids.length === 0) return;
    if (Date.now() >= killAt) for (const pid of pids) send(pid, 'SIGKILL');
    else if (!asked) for (const pid of leadersOf(pids)) send(pid, signal);
    asked = true;
    if (Date.now() > killAt + 30_000) throw new Error(`processes ${pids.join(', ')} do not end`);
    await pause(Math.min(10 + round * 10, 100));
  }
};

/** The processes whose parent is not among the others. */
const leadersOf = (pids: readonly number[]): number[] => pids.filter(pid => !pids.includes(parentOf(pid)));

/** 0 if the process has ended. */
const parentOf = (pid: number): number => {
  try {
    return Number(fieldsOf(pid)[1]);
  } catch {
    return 0;
  }
};

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

/** `sysconf(_SC_CLK_TCK)`, the same on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/**
 * The total usage. Memory shared by the processes (PostgreSQL's buffers and program) counts once: every process maps
 * parts of the same pages, so the largest part is used for all.
 */
export const usageOf = (pids: readonly number[]): ProcessUsage => {
  let cpuSeconds = 0;
  let own = 0;
  let shared = 0;
  for (const pid of pids) {
    const read = readUsage(pid);
    if (!read) continue;
    // utime, stime, cutime and cstime are the fields 14 to 17.
    for (const ticks of read.fields.slice(11, 15)) cpuSeconds += Number(ticks) / TICKS_PER_SECOND;
    own += kilobytesOf(read.status, 'RssAnon');
    shared = Math.max(shared, kilobytesOf(read.status, 'RssShmem') + kilobytesOf(read.status, 'RssFile'));
  }
  return { cpuSeconds, memoryBytes: (own + shared) * 1024 };
};

/** Undefined if the process has ended. */
const readUsage = (pid: number): { readonly fields: string[]; readonly status: string } | undefined => {
  try {
    return { fields: fieldsOf(pid), status: readKernelFile(`/proc/${pid}/status`) };
  } catch {
    return undefined;
  }
};

const kilobytesOf = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
