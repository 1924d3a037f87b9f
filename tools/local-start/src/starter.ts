import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The process that runs a home, and the guard that stops the remaining processes if the starter is killed. */
interface Starter {
  readonly pid: number;
  readonly startedAt: string | undefined;
  readonly guard: number;
}

const FILE = 'starter.json';
const LEFTOVERS_WITHIN_MS = 60_000;
const POLL_MS = 100;

/**
 * The file that names the process that runs the home; the guard deletes it once all processes of a killed start have
 * ended.
 */
export const starterFile = (folder: string): string => join(folder, FILE);

/**
 * The start time from the kernel distinguishes a process from a later one with the same id; undefined without /proc.
 */
const startTimeOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const starterOf = (folder: string): Starter | undefined => {
  try {
    return JSON.parse(readFileSync(starterFile(folder), 'utf8')) as Starter;
  } catch {
    return undefined;
  }
};

const lives = ({ pid, startedAt }: Starter): boolean =>
  isAlive(pid) && (startedAt === undefined || startTimeOf(pid) === startedAt);

/** Records that this process runs the home, until `leaveHome`. */
export const enterHome = (folder: string, guard: number): void => {
  const starter: Starter = { pid: process.pid, startedAt: startTimeOf(process.pid), guard };
  writeFileSync(starterFile(folder), JSON.stringify(starter), { mode: 0o600 });
};

export const leaveHome = (folder: string): void => rmSync(starterFile(folder), { force: true });

/**
 * Waits until no process of an earlier start uses the home.
 * @throws if the earlier start still runs, or if its processes do not end in time.
 */
export const untilUnused = async (folder: string, progress: (step: string) => void): Promise<void> => {
  const began = Date.now();
  for (let waited = 0; ; waited = Date.now() - began) {
    const starter = starterOf(folder);
    if (starter && lives(starter))
      throw new Error(
        `Postern already runs in ${folder}. Stop it, or start another one beside it: POSTERN_HOME=<folder> POSTERN_PORT=<port> npm start`,
      );
    if (!(starter && isAlive(starter.guard)) && !databaseRuns(folder)) return;
    if (waited > LEFTOVERS_WITHIN_MS)
      throw new Error(
        `An earlier start in ${folder} was killed, and its processes have not ended after ${LEFTOVERS_WITHIN_MS / 1000} s. End them, then start again.`,
      );
    if (waited === 0) progress('waiting for the processes of an earlier start to end');
    await pause(POLL_MS);
  }
};

/** Whether a PostgreSQL server runs on the data of the home. */
export const databaseRuns = (folder: string): boolean => {
  const data = [join(folder, 'open', 'postgres'), join(folder, 'postgres')].find(path => existsSync(path));
  if (data === undefined) return false;
  try {
    const [pid, directory = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    if (!isAlive(Number(pid))) return false;
    // If the last server was killed, another process may have its process id by now.
    return !existsSync('/proc/self') || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory || data);
  } catch {
    return false;
  }
};
