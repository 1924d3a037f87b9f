import { access, constants, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseLimits } from '@postern/runtime';

const ROOT = '/sys/fs/cgroup';
const GROUP = 'postern-databases';
const PERIOD_US = 100_000;
const EMPTY_WITHIN_MS = 5_000;

/** The control group of a database: its folders, and the values of their files. */
interface Bounds {
  readonly folders: readonly string[];
  readonly settings: readonly (readonly [file: string, value: string])[];
}

/**
 * Limits CPU and memory of databases to their plans by control groups, version 2 or 1, if the machine permits
 * creating them. Otherwise (an ordinary user, most containers), only the server's own settings limit a database.
 */
export class ResourceBounds {
  /** Applies the limits to the processes and their future children. Returns false if the machine has no control groups. */
  async hold(databaseId: string, pids: readonly number[], limits: DatabaseLimits): Promise<boolean> {
    const bounds = await boundsOf(databaseId, limits);
    if (!bounds) return false;
    try {
      for (const folder of bounds.folders) await mkdir(folder, { recursive: true });
      for (const [file, value] of bounds.settings) await writeFile(file, value);
    } catch {
      return false;
    }
    for (const folder of bounds.folders)
      for (const pid of pids) await writeFile(join(folder, 'cgroup.procs'), String(pid)).catch(ended);
    return true;
  }

  /** Removes the control groups. A killed process leaves its group shortly after it has released everything else. */
  async release(databaseId: string): Promise<void> {
    const until = Date.now() + EMPTY_WITHIN_MS;
    for (const folder of foldersOf(databaseId)) while ((await isBusy(folder)) && Date.now() < until) await pause(20);
  }
}

const foldersOf = (databaseId: string) =>
  [ROOT, join(ROOT, 'cpu'), join(ROOT, 'memory')].map(hierarchy => join(hierarchy, GROUP, databaseId));

const boundsOf = async (databaseId: string, limits: DatabaseLimits): Promise<Bounds | undefined> => {
  const [unified, cpu, memory] = foldersOf(databaseId) as [string, string, string];
  const quota = String(Math.round((limits.cpuMillicores / 1000) * PERIOD_US));
  if (await hasUnifiedControllers())
    return {
      folders: [unified],
      settings: [
        [join(unified, 'cpu.max'), `${quota} ${PERIOD_US}`],
        [join(unified, 'memory.max'), String(limits.memoryBytes)],
      ],
    };
  if (!(await isWritable(join(ROOT, 'cpu'))) || !(await isWritable(join(ROOT, 'memory')))) return undefined;
  return {
    folders: [cpu, memory],
    settings: [
      [join(cpu, 'cpu.cfs_period_us'), String(PERIOD_US)],
      [join(cpu, 'cpu.cfs_quota_us'), quota],
      [join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes)],
    ],
  };
};

/** Delegates the controllers to the platform's group; a container's root group that contains processes refuses this. */
const hasUnifiedControllers = async (): Promise<boolean> => {
  const controllers = await readFile(join(ROOT, 'cgroup.controllers'), 'utf8').catch(() => '');
  if (!/\bcpu\b/.test(controllers) || !/\bmemory\b/.test(controllers)) return false;
  try {
    await mkdir(join(ROOT, GROUP), { recursive: true });
    for (const folder of [ROOT, join(ROOT, GROUP)])
      await writeFile(join(folder, 'cgroup.subtree_control'), '+cpu +memory');
    return true;
  } catch {
    return false;
  }
};

const isBusy = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'EBUSY',
  );

const isWritable = (folder: string): Promise<boolean> =>
  access(join(folder, 'cgroup.procs'), constants.W_OK).then(
    () => true,
    () => false,
  );

/** Ignores a process that has ended meanwhile. */
const ended = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ESRCH') throw error;
};
