import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** How the processes of one database are known: by where they work and as whom. */
export interface ProcessMarks {
  /** The folder that every process of the database works in. */
  readonly folder: string;
  /** The user that runs nothing but this database; undefined where all run as the platform's own user. */
  readonly uid: number | undefined;
}

/**
 * Every process of a database, found in `/proc` rather than remembered, so that none is missed that was started a
 * moment before a kill, and none taken for ours that got the number of one that ended.
 */
export const processesOf = async ({ folder, uid }: ProcessMarks): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number);
  const matches = await Promise.all(pids.map(pid => belongs(pid, folder, uid).catch(() => false)));
  return pids.filter((_, n) => matches[n]);
};

const belongs = async (pid: number, folder: string, uid: number | undefined): Promise<boolean> => {
  if (uid !== undefined && (await stat(`/proc/${pid}`)).uid !== uid) return false;
  const place = await readlink(`/proc/${pid}/cwd`).catch((error: NodeJS.ErrnoException) => {
    // Root without CAP_SYS_PTRACE, as in a container, may not look: then the user alone decides.
    if (error.code === 'EACCES' && uid !== undefined) return folder;
    throw error;
  });
  if (place !== folder && place !== `${folder} (deleted)`) return false;
  return (await stateOf(pid)) !== 'Z';
};

/** The kernel's letter: R running, S sleeping, Z a zombie whose parent has not noticed. */
const stateOf = async (pid: number): Promise<string | undefined> => (await fieldsOf(pid))[0];

/** What follows the name in `/proc/<pid>/stat` (proc(5)), from the state, its third field, on. */
const fieldsOf = async (pid: number): Promise<string[]> => {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  return line.slice(line.lastIndexOf(')') + 2).split(' ');
};

/**
 * Ends every process of a database. The signal goes to those that nobody of the others started, because PostgreSQL's
 * server tells its own processes what to do; after `graceMs` all are killed. None runs when it returns.
 */
export const endProcesses = async (marks: ProcessMarks, signal: NodeJS.Signals, graceMs: number): Promise<void> => {
  const killAt = Date.now() + graceMs;
  let asked = false;
  for (let round = 0; ; round++) {
    const pids = await processesOf(marks);
    if (pids.length === 0) return;
    if (Date.now() >= killAt) for (const pid of pids) send(pid, 'SIGKILL');
    else if (!asked) for (const pid of await leadersOf(pids)) send(pid, signal);
    asked = true;
    if (Date.now() > killAt + 30_000) throw new Error(`processes ${pids.join(', ')} do not end`);
    await pause(Math.min(10 + round * 10, 100));
  }
};

/** Those that were started by none of the others. */
export const leadersOf = async (pids: readonly number[]): Promise<number[]> => {
  const parents = await Promise.all(pids.map(async pid => Number((await fieldsOf(pid).catch(() => []))[1] ?? 0)));
  return pids.filter((_, n) => !pids.includes(parents[n] ?? 0));
};

/** One that has ended meanwhile needs no signal. */
export const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** Seconds on the processor since each began, children that have ended included; and bytes of memory held. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** `sysconf(_SC_CLK_TCK)`, the same on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/**
 * Together. Memory that the processes share, PostgreSQL's buffers and its program, counts once: every process has its
 * part of the same pages mapped, so the largest part stands for all.
 */
export const usageOf = async (pids: readonly number[]): Promise<ProcessUsage> => {
  let cpuSeconds = 0;
  let own = 0;
  let shared = 0;
  for (const pid of pids) {
    const read = await Promise.all([fieldsOf(pid), readFile(`/proc/${pid}/status`, 'utf8')]).catch(() => undefined);
    if (!read) continue;
    const [fields, status] = read;
    // utime, stime, cutime and cstime are the fields 14 to 17.
    for (const ticks of fields.slice(11, 15)) cpuSeconds += Number(ticks) / TICKS_PER_SECOND;
    own += kilobytesOf(status, 'RssAnon');
    shared = Math.max(shared, kilobytesOf(status, 'RssShmem') + kilobytesOf(status, 'RssFile'));
  }
  return { cpuSeconds, memoryBytes: (own + shared) * 1024 };
};

const kilobytesOf = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
