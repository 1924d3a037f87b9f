import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConfinedPlace, Confinement } from '../instances/confinement.js';
import type { MarkedProcesses } from '../instances/marked-processes.js';
import { allPids, processEntry } from '../instances/process-table.js';
import type { CgroupLimits } from './cgroup-files.js';
import type { Cgroup, CgroupTree } from './cgroup-tree.js';
import { asUser } from './own-users.js';
import type { UserAssignments } from './user-assignments.js';

export interface SandboxLimits extends CgroupLimits {
  /** Of any one file that is written; undefined where there is no bound. */
  readonly fileBytes: number | undefined;
  readonly niceness: number;
  readonly shortLived: boolean;
}

/** What a sandbox can say beyond what everybody needs. */
export interface SandboxPlace extends ConfinedPlace {
  /** Whether something inside was refused a process, because there were too many. */
  ranOutOfTasks(): Promise<boolean>;
}

export interface SandboxOptions {
  /** By the variable that every process inside carries. */
  readonly processes: MarkedProcesses;
  /** Undefined where they run as we do. */
  readonly users: UserAssignments | undefined;
  /** Whether a place that is cleared leaves folders of its user behind, so that nobody else may get that user. */
  readonly keepsUser: (id: string) => boolean;
  /** Undefined where the kernel offers none; then the marks alone hold the processes together. */
  readonly cgroups: CgroupTree | undefined;
  readonly limits: SandboxLimits;
}

interface Enclosure {
  readonly uid: number | undefined;
  readonly cgroup: Cgroup | undefined;
  readonly mostTasks: number | undefined;
}

const KILL_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 20_000;

/** Steps into the groups first, while it may still do so. */
const ENTER = 'until [ "$1" = -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"';

/** Holds processes together by all that the machine has: own users, groups of the kernel, and marks. */
export class Sandbox implements Confinement {
  constructor(private readonly options: SandboxOptions) {}

  async prepare(id: string): Promise<SandboxPlace> {
    const { cgroups, limits } = this.options;
    return this.#place(id, await this.#userOf(id), await cgroups?.group(id, limits), await this.#mostTasks());
  }

  async find(id: string): Promise<SandboxPlace> {
    return this.#place(id, await this.#userOf(id), this.options.cgroups?.existing(id), undefined);
  }

  async #userOf(id: string): Promise<number | undefined> {
    return this.options.users?.assign(id);
  }

  #place(id: string, uid: number | undefined, cgroup: Cgroup | undefined, mostTasks: number | undefined): SandboxPlace {
    const { users, keepsUser } = this.options;
    let isReleased = false;
    return {
      owner: uid === undefined ? undefined : { uid, gid: uid },
      enclose: argv => this.#enclose(argv, { uid, cgroup, mostTasks }),
      pids: async () => {
        const inside = (await cgroup?.pids()) ?? [];
        // An earlier run of the platform may itself have been in another group, and have made its groups there.
        return inside.length > 0 ? inside : this.#marked(id);
      },
      ranOutOfTasks: async () => ((await cgroup?.refusedTasks()) ?? 0) > 0,
      ranOutOfMemory: async () => ((await cgroup?.oomKills()) ?? 0) > 0,
      clear: async () => {
        await killAll(async () => [
          ...new Set([
            ...((await cgroup?.pids()) ?? []),
            ...(await this.#marked(id)),
            ...(uid === undefined || isReleased ? [] : await pidsOfUser(uid)),
          ]),
        ]);
        await cgroup?.remove();
        if (keepsUser(id)) return;
        // From here on the user may be somebody else's.
        isReleased = true;
        await users?.release(id);
      },
    };
  }

  #enclose(argv: readonly string[], { uid, cgroup, mostTasks }: Enclosure): readonly string[] {
    const { limits } = this.options;
    const bounded = [
      'prlimit',
      '--core=0',
      ...(mostTasks === undefined ? [] : [`--nproc=${mostTasks}`]),
      ...(limits.fileBytes === undefined ? [] : [`--fsize=${limits.fileBytes}`]),
      '--',
      ...(limits.niceness > 0 ? ['nice', '-n', String(limits.niceness)] : []),
      ...argv,
    ];
    const owned = uid === undefined ? bounded : asUser(uid, bounded);
    return cgroup ? ['/bin/sh', '-c', ENTER, 'enter', ...cgroup.entrances, '--', ...owned] : owned;
  }

  /**
   * Without groups the kernel still counts the tasks of a user. Where that is ourselves, all that we run now is added; where others may run
   * more later, it would be they who make this one fail, so that only what is short-lived is bound that way.
   */
  async #mostTasks(): Promise<number | undefined> {
    const { users, cgroups, limits } = this.options;
    if (cgroups) return undefined;
    if (users) return limits.tasks;
    const own = process.getuid?.();
    if (own === undefined || own === 0 || !limits.shortLived) return undefined;
    const pids = await pidsOfUser(own);
    const threads = await Promise.all(pids.map(pid => readdir(`/proc/${pid}/task`).catch(() => [])));
    return threads.reduce((sum, { length }) => sum + length, limits.tasks);
  }

  async #marked(id: string): Promise<readonly number[]> {
    return ((await this.options.processes.scan()).get(id) ?? []).map(({ pid }) => pid);
  }
}

const pidsOfUser = async (uid: number): Promise<readonly number[]> => {
  const pids = await allPids();
  const owners = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')));
  return pids.filter((_, index) => new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(owners[index]!));
};

/** One that forks while it is killed is found in the next round. */
const killAll = async (find: () => Promise<readonly number[]>): Promise<void> => {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  const alive = async () => (await find()).map(processEntry).filter(entry => entry !== undefined);
  for (let left = await alive(); left.length > 0; left = await alive()) {
    for (const { pid } of left) kill(pid);
    if (performance.now() > deadline) throw new Error(`processes ${left.map(({ pid }) => pid).join(', ')} do not end`);
    await delay(KILL_EVERY_MS);
  }
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
