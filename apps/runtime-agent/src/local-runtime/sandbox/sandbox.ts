import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { pidsOfUser, processEntry } from '../../infrastructure/process-table.js';
import type {
  ConfinedPlace,
  Confinement,
  ConfinementNeeds,
  SandboxFolders,
  SandboxView,
  ViewNetwork,
} from '../instances/confinement.js';
import { IN_FOLDER } from '../instances/in-folder.js';
import type { MarkedProcesses } from '../instances/marked-processes.js';
import type { CgroupLimits } from './cgroup-files.js';
import type { Cgroup, CgroupTree } from './cgroup-tree.js';
import { IDS_OF_ROOT } from './namespaces/credentials.js';
import type { NamespaceSandbox } from './namespaces/namespace-sandbox.js';
import type { NameFiles } from './network/name-files.js';
import type { PlaceNetworks } from './network/place-networks.js';
import type { SandboxNetwork } from './network/tenant-network.js';
import { asUser } from './own-users.js';
import { removeFilesOf } from './shared-folders.js';
import type { FilterKind } from './system-calls/filters.js';
import type { SystemCallFilters } from './system-calls/system-call-filters.js';
import type { UserAssignments } from './user-assignments.js';

export interface SandboxLimits extends CgroupLimits {
  /** Maximum size of a single file; undefined for no limit. */
  readonly fileBytes: number | undefined;
  readonly shortLived: boolean;
}

/** A confined place with operations that only builds use. */
export interface SandboxPlace extends ConfinedPlace {
  /** Whether the kernel refused to create a process inside because the task limit was reached. */
  ranOutOfTasks(): Promise<boolean>;
  /**
   * Returns a view of these folders whose processes run as root of a user namespace.
   * @throws if processes have no separate users, or the host does not support namespaces.
   */
  viewAsRoot(folders: SandboxFolders): Promise<SandboxView>;
  /** The UID and GID on the host that root of this user namespace maps to. */
  rootId(): Promise<number>;
}

export interface SandboxOptions {
  /** Finds processes by the environment variable that marks every process inside. */
  readonly processes: MarkedProcesses;
  /** Undefined if processes run as Postern's own user. */
  readonly users: UserAssignments | undefined;
  /** The group of each web service; undefined if processes run as Postern's own user. */
  readonly groups?: UserAssignments | undefined;
  /** Undefined if processes see the files and processes of the host. */
  readonly namespaces?: NamespaceSandbox | undefined;
  /** UID blocks for root of user namespaces; undefined if processes run as Postern's own user. */
  readonly rootBlocks?: UserAssignments | undefined;
  /** Undefined if all places use the network of the machine. */
  readonly networks?: PlaceNetworks | undefined;
  /** Whether folders of the user remain after `clear`, so that its UID must not be reassigned. */
  readonly keepsUser: (id: string) => boolean;
  /** Undefined if the host allows no control groups; processes are then found by their marks and users. */
  readonly cgroups: CgroupTree | undefined;
  /** Undefined if the host cannot load a filter of system calls. */
  readonly filters?: SystemCallFilters | undefined;
  readonly limits: SandboxLimits;
  /** `clear` leaves the files below this folder to the components that create them. */
  readonly home: string;
}

interface ProcessSettings {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  readonly cgroup: Cgroup | undefined;
  readonly mostTasks: number | undefined;
  readonly network: SandboxNetwork | undefined;
  /** Whose other web services of the project are named. */
  readonly webServiceId?: string | undefined;
  readonly fileBytes?: number | undefined;
}

const NO_IMAGES =
  'images run only in namespaces that root creates: start Postern as root; `npx postern doctor` lists what is not isolated';
const KILL_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 20_000;

/** Joins the control groups first, while it still has permission to. */
const ENTER = 'until [ "$1" = -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"';

/** Confines and tracks processes with what the host supports: separate users, namespaces, control groups, and marks. */
export class Sandbox implements Confinement {
  constructor(private readonly options: SandboxOptions) {}

  get hasNetworks(): boolean {
    return this.options.networks !== undefined;
  }

  async prepare(id: string, webServiceId?: string, needs: ConfinementNeeds = {}): Promise<SandboxPlace> {
    const { cgroups, limits, groups, users, networks } = this.options;
    const { user, fileBytes, network: wanted, ...size } = needs;
    if (user !== undefined) await users?.share(id, user);
    const uid = await this.#userOf(id);
    const gid = webServiceId === undefined ? uid : await groups?.assign(webServiceId);
    const cgroup = await cgroups?.group(id, { ...limits, ...size });
    const inwardPort = wanted?.port === undefined ? {} : { inwardPort: wanted.port };
    const network = wanted && (await networks?.of.create(id, { reach: 'internet', ...inwardPort }));
    const client = wanted?.webServiceId ?? webServiceId;
    if (network && client !== undefined) await networks?.permit(client, network);
    const mostTasks = await this.#mostTasks();
    return this.#place(id, { uid, gid, cgroup, network, webServiceId: client, mostTasks, fileBytes });
  }

  async find(id: string): Promise<SandboxPlace> {
    const uid = await this.#userOf(id);
    const cgroup = this.options.cgroups?.existing(id);
    const network = await this.options.networks?.of.find(id);
    return this.#place(id, { uid, gid: uid, cgroup, network, mostTasks: undefined });
  }

  async networkIds(): Promise<readonly string[]> {
    return (await this.options.networks?.of.ids()) ?? [];
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

  #place(id: string, settings: ProcessSettings): SandboxPlace {
    const { users, keepsUser, namespaces, networks, home } = this.options;
    const { uid, gid, cgroup, network } = settings;
    let isReleased = false;
    return {
      address: network?.address ?? '127.0.0.1',
      hasNetwork: network !== undefined,
      reachInward: async ports => network && networks?.of.reachInward(network, ports),
      owner: uid === undefined ? undefined : { uid, gid: gid ?? uid },
      wrap: argv => this.#grouped(this.#bounded(argv, settings), settings),
      view: (folders, use: ViewNetwork = 'own') =>
        this.#view(id, folders, use === 'machine' ? { ...settings, network: undefined } : settings),
      viewAsRoot: folders => this.#viewAsRoot(id, folders, settings),
      rootId: () => this.#rootId(id),
      pids: async () => {
        const inside = cgroup?.pids() ?? [];
        // An earlier Postern process may have run in another control group and created its groups there.
        return inside.length > 0 ? inside : this.#marked(id);
      },
      ranOutOfTasks: async () => (cgroup?.refusedTasks() ?? 0) > 0,
      ranOutOfMemory: async () => (cgroup?.oomKills() ?? 0) > 0,
      clear: async () => {
        await killAll(async () => [
          ...new Set([
            ...(cgroup?.pids() ?? []),
            ...(await this.#marked(id)),
            ...(uid === undefined || isReleased ? [] : await pidsOfUser(uid)),
          ]),
        ]);
        await networks?.of.release(id);
        await cgroup?.remove();
        if (namespaces) await namespaces.clear(id);
        else if (uid !== undefined && !isReleased) await removeFilesOf(uid, home);
        if (keepsUser(id)) return;
        // The UID can be reassigned from here on.
        isReleased = true;
        await users?.release(id);
      },
    };
  }

  async #view(id: string, folders: SandboxFolders, settings: ProcessSettings): Promise<SandboxView> {
    const { namespaces } = this.options;
    const bounded = (argv: readonly string[]) => this.#bounded(argv, settings);
    if (folders.isImage && (!namespaces || settings.uid === undefined)) throw new Error(NO_IMAGES);
    if (!namespaces)
      return {
        folders,
        pathOf: path => path,
        startDirectory: folders.app,
        hasNamespaces: false,
        wrap: (argv, directory) => this.#entered(bounded(['/bin/sh', '-c', IN_FOLDER, directory, ...argv]), settings),
      };
    const owner = ownerOf(settings);
    const view = await namespaces.view({
      id,
      folders,
      owner,
      groups: groupsOf(settings),
      files: await this.#filesOf(settings),
    });
    const inImage = (argv: readonly string[]) => this.#limited(namespaces.intoImage(owner, argv), settings);
    const inside = folders.isImage ? inImage : bounded;
    return {
      ...view,
      wrap: (argv, directory) => this.#entered(view.wrap(inside(argv), directory), settings),
    };
  }

  async #viewAsRoot(id: string, folders: SandboxFolders, settings: ProcessSettings): Promise<SandboxView> {
    const { namespaces } = this.options;
    if (!namespaces) throw new Error(NO_IMAGES);
    const files = await this.#filesOf(settings);
    const request = { id, folders, owner: ownerOf(settings), groups: groupsOf(settings), files };
    const view = await namespaces.view({ ...request, isRootOfUsers: true });
    const first = await this.#rootId(id);
    const inside = (argv: readonly string[]) =>
      this.#limited(namespaces.asRootOfUsers(first, argv), settings, 'image build');
    return {
      ...view,
      wrap: (argv, directory) => this.#entered(view.wrap(inside(argv), directory), settings),
    };
  }

  async #filesOf({ network, webServiceId }: ProcessSettings): Promise<NameFiles | undefined> {
    const { networks } = this.options;
    if (!network) return undefined;
    return (webServiceId === undefined ? undefined : await networks?.filesOf?.(webServiceId)) ?? networks?.files;
  }

  #entered(argv: readonly string[], settings: ProcessSettings): readonly string[] {
    return this.#grouped(settings.network?.wrap(argv) ?? argv, settings);
  }

  #grouped(argv: readonly string[], { cgroup }: ProcessSettings): readonly string[] {
    return cgroup ? ['/bin/sh', '-c', ENTER, 'enter', ...cgroup.entrances, '--', ...argv] : argv;
  }

  #bounded(argv: readonly string[], settings: ProcessSettings): readonly string[] {
    const { uid, gid } = settings;
    const limited = this.#limited(argv, settings);
    return uid === undefined ? limited : asUser(uid, limited, gid);
  }

  #limited(
    argv: readonly string[],
    { mostTasks, ...needs }: ProcessSettings,
    filter: FilterKind = 'application',
  ): readonly string[] {
    const { limits, filters } = this.options;
    const fileBytes = limits.fileBytes && Math.max(limits.fileBytes, needs.fileBytes ?? 0);
    return [
      'prlimit',
      '--core=0',
      ...(mostTasks === undefined ? [] : [`--nproc=${mostTasks}`]),
      ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
      '--',
      ...(filters?.load(filter, argv) ?? argv),
    ];
  }

  /**
   * Without control groups, the kernel limits the tasks per user (RLIMIT_NPROC). For Postern's own user, the limit is added to the
   * tasks that run now. Long-lived processes then get no limit: tasks that the user starts later would make them fail.
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

const ownerOf = ({ uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 }: ProcessSettings) => ({ uid, gid });

const groupsOf = ({ cgroup }: ProcessSettings): ReadonlyMap<string, string> => cgroup?.folders ?? new Map();

/** Sends SIGKILL until no process is left; a process that forks meanwhile is found in the next iteration. */
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
