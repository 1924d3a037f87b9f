import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  ConfinedPlace,
  Confinement,
  ConfinementNeeds,
  SandboxFolders,
  SandboxView,
} from '../instances/confinement.js';
import { IN_FOLDER } from '../instances/in-folder.js';
import type { MarkedProcesses } from '../instances/marked-processes.js';
import { allPids, processEntry } from '../instances/process-table.js';
import type { CgroupLimits } from './cgroup-files.js';
import type { Cgroup, CgroupTree } from './cgroup-tree.js';
import { IDS_OF_ROOT } from './namespaces/credentials.js';
import type { NamespaceSandbox } from './namespaces/namespace-sandbox.js';
import { asUser } from './own-users.js';
import { removeFilesOf } from './shared-folders.js';
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
  /**
   * Shows processes these folders, to which they are root of a user namespace.
   * @throws where processes do not have users of their own, or the machine allows no namespaces.
   */
  viewAsRoot(folders: SandboxFolders): Promise<SandboxView>;
  /** Whom the files of root of this user namespace belong to outside. */
  rootId(): Promise<number>;
}

export interface SandboxOptions {
  /** By the variable that every process inside carries. */
  readonly processes: MarkedProcesses;
  /** Undefined where they run as we do. */
  readonly users: UserAssignments | undefined;
  /** The group of each web service; undefined where processes run as we do. */
  readonly groups?: UserAssignments | undefined;
  /** Undefined where processes see the files and processes of this machine. */
  readonly namespaces?: NamespaceSandbox | undefined;
  /** Blocks of numbers of users, for roots of user namespaces; undefined where processes run as we do. */
  readonly rootBlocks?: UserAssignments | undefined;
  /** Whether a place that is cleared leaves folders of its user behind, so that nobody else may get that user. */
  readonly keepsUser: (id: string) => boolean;
  /** Undefined where the kernel offers none; then the marks alone hold the processes together. */
  readonly cgroups: CgroupTree | undefined;
  readonly limits: SandboxLimits;
  /** Files below it are deleted by those who made them. */
  readonly home: string;
}

interface Enclosure {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  readonly cgroup: Cgroup | undefined;
  readonly mostTasks: number | undefined;
  readonly fileBytes?: number | undefined;
}

const NO_IMAGES =
  'images run only in namespaces that root makes: start Postern as root; `npx postern doctor` says what is not isolated';
const KILL_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 20_000;

/** Steps into the groups first, while it may still do so. */
const ENTER = 'until [ "$1" = -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"';

/** Holds processes together by all that the machine has: own users, groups of the kernel, and marks. */
export class Sandbox implements Confinement {
  constructor(private readonly options: SandboxOptions) {}

  async prepare(id: string, webServiceId?: string, needs: ConfinementNeeds = {}): Promise<SandboxPlace> {
    const { cgroups, limits, groups, users } = this.options;
    const { user, fileBytes, ...size } = needs;
    if (user !== undefined) await users?.share(id, user);
    const uid = await this.#userOf(id);
    const gid = webServiceId === undefined ? uid : await groups?.assign(webServiceId);
    const cgroup = await cgroups?.group(id, { ...limits, ...size });
    return this.#place(id, { uid, gid, cgroup, mostTasks: await this.#mostTasks(), fileBytes });
  }

  async find(id: string): Promise<SandboxPlace> {
    const uid = await this.#userOf(id);
    return this.#place(id, { uid, gid: uid, cgroup: this.options.cgroups?.existing(id), mostTasks: undefined });
  }

  async release(name: string): Promise<void> {
    await this.options.users?.release(name);
    await this.options.rootBlocks?.release(name);
  }

  async #rootId(id: string): Promise<number> {
    const { rootBlocks } = this.options;
    if (!rootBlocks) throw new Error(NO_IMAGES);
    return (await rootBlocks.assign(id)) * IDS_OF_ROOT;
  }

  async #userOf(id: string): Promise<number | undefined> {
    return this.options.users?.assign(id);
  }

  #place(id: string, enclosure: Enclosure): SandboxPlace {
    const { users, keepsUser, namespaces, home } = this.options;
    const { uid, gid, cgroup } = enclosure;
    let isReleased = false;
    return {
      owner: uid === undefined ? undefined : { uid, gid: gid ?? uid },
      enclose: argv => this.#grouped(this.#bounded(argv, enclosure), enclosure),
      view: folders => this.#view(id, folders, enclosure),
      viewAsRoot: folders => this.#viewAsRoot(id, folders, enclosure),
      rootId: () => this.#rootId(id),
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
        if (namespaces) await namespaces.clear(id);
        else if (uid !== undefined && !isReleased) await removeFilesOf(uid, home);
        if (keepsUser(id)) return;
        // From here on the user may be somebody else's.
        isReleased = true;
        await users?.release(id);
      },
    };
  }

  async #view(id: string, folders: SandboxFolders, enclosure: Enclosure): Promise<SandboxView> {
    const { namespaces } = this.options;
    const bounded = (argv: readonly string[]) => this.#bounded(argv, enclosure);
    if (folders.isImage && (!namespaces || enclosure.uid === undefined)) throw new Error(NO_IMAGES);
    if (!namespaces)
      return {
        folders,
        pathOf: path => path,
        startDirectory: folders.app,
        hasNamespaces: false,
        enclose: (argv, directory) =>
          this.#grouped(bounded(['/bin/sh', '-c', IN_FOLDER, directory, ...argv]), enclosure),
      };
    const owner = ownerOf(enclosure);
    const view = await namespaces.view({ id, folders, owner, groups: groupsOf(enclosure) });
    const inImage = (argv: readonly string[]) => this.#limited(namespaces.intoImage(owner, argv), enclosure);
    const inside = folders.isImage ? inImage : bounded;
    return {
      ...view,
      enclose: (argv, directory) => this.#grouped(view.enclose(inside(argv), directory), enclosure),
    };
  }

  async #viewAsRoot(id: string, folders: SandboxFolders, enclosure: Enclosure): Promise<SandboxView> {
    const { namespaces } = this.options;
    if (!namespaces) throw new Error(NO_IMAGES);
    const request = { id, folders, owner: ownerOf(enclosure), groups: groupsOf(enclosure) };
    const view = await namespaces.view({ ...request, isRootOfUsers: true });
    const first = await this.#rootId(id);
    const inside = (argv: readonly string[]) => this.#limited(namespaces.asRootOfUsers(first, argv), enclosure);
    return {
      ...view,
      enclose: (argv, directory) => this.#grouped(view.enclose(inside(argv), directory), enclosure),
    };
  }

  #grouped(argv: readonly string[], { cgroup }: Enclosure): readonly string[] {
    return cgroup ? ['/bin/sh', '-c', ENTER, 'enter', ...cgroup.entrances, '--', ...argv] : argv;
  }

  #bounded(argv: readonly string[], enclosure: Enclosure): readonly string[] {
    const { uid, gid } = enclosure;
    const limited = this.#limited(argv, enclosure);
    return uid === undefined ? limited : asUser(uid, limited, gid);
  }

  #limited(argv: readonly string[], { mostTasks, ...needs }: Enclosure): readonly string[] {
    const { limits } = this.options;
    const fileBytes = limits.fileBytes && Math.max(limits.fileBytes, needs.fileBytes ?? 0);
    return [
      'prlimit',
      '--core=0',
      ...(mostTasks === undefined ? [] : [`--nproc=${mostTasks}`]),
      ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
      '--',
      ...(limits.niceness > 0 ? ['nice', '-n', String(limits.niceness)] : []),
      ...argv,
    ];
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

const ownerOf = ({ uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 }: Enclosure) => ({ uid, gid });

const groupsOf = ({ cgroup }: Enclosure): ReadonlyMap<string, string> => cgroup?.folders ?? new Map();

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
