import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CgroupLimits, limitFilesV1, limitFilesV2, readCounter, readPids, writeLimit } from './cgroup-files.js';

/** A control group. Its processes cannot leave it. */
export interface Cgroup {
  /** The `cgroup.procs` files; a process that writes its PID into all of them joins the group. */
  readonly entrances: readonly string[];
  /** Folders that processes inside may read, by controller; the empty name stands for all controllers. */
  readonly folders: ReadonlyMap<string, string>;
  pids(): readonly number[];
  oomKills(): number;
  /** How often the kernel refused to create a process because of the task limit. */
  refusedTasks(): number;
  /** Removes the group. No process may run inside. */
  remove(): Promise<void>;
}

/** Parent folder of the control groups for each controller; cgroup v2 has one folder for all controllers. */
interface Place {
  readonly version: 1 | 2;
  readonly folders: ReadonlyMap<string, string>;
}

const CONTROLLERS = { 1: ['memory', 'pids', 'cpu', 'blkio'], 2: ['memory', 'pids', 'cpu', 'io'] } as const;
/** Programs size themselves by the limits of these controllers. */
const VISIBLE = ['memory', 'pids', 'cpu'];
const REMOVE_ATTEMPTS = 50;
const REMOVE_EVERY_MS = 20;

/** The control groups of the kernel, in the version that this host makes available to Postern. */
export class CgroupTree {
  private constructor(private readonly place: Place) {}

  /** Undefined if no control group can be created and limited, which a probe group verifies. */
  static async find(name: string): Promise<CgroupTree | undefined> {
    for (const place of await candidates()) {
      const tree = await CgroupTree.#under(place, name).catch(() => undefined);
      if (tree) return tree;
    }
    return undefined;
  }

  static async #under({ version, folders }: Place, name: string): Promise<CgroupTree | undefined> {
    const own = new Map([...folders].map(([controller, folder]) => [controller, join(folder, name)]));
    for (const folder of new Set(own.values())) await mkdir(folder, { recursive: true });
    if (version === 2)
      // One by one: the kernel refuses all of them if one is not available.
      for (const folder of [...new Set(folders.values()), ...new Set(own.values())])
        for (const controller of CONTROLLERS[2])
          await writeLimit(join(folder, 'cgroup.subtree_control'), `+${controller}`);
    const tree = new CgroupTree({ version, folders: own });
    // A unique name, because other runtimes of this host may probe at the same time.
    const probe = await tree.#limited(`probe-${randomUUID()}`, {
      memoryBytes: 2 ** 26,
      tasks: 8,
      cpuMillicores: 100,
      weight: 10,
    });
    await probe?.remove();
    return probe && tree;
  }

  /** Creates a child group with these limits, or reuses an existing one of the same name. */
  async group(id: string, limits: CgroupLimits): Promise<Cgroup> {
    const group = await this.#limited(id, limits);
    if (!group) throw new Error('the kernel rejected the limits of a control group');
    return group;
  }

  /** The group of this id, which an earlier Postern process may have created; it may not exist. */
  existing(id: string): Cgroup {
    return this.#groupIn(
      new Map([...this.place.folders].map(([controller, folder]) => [controller, join(folder, id)])),
    );
  }

  async #limited(id: string, limits: CgroupLimits): Promise<Cgroup | undefined> {
    const folders = new Map([...this.place.folders].map(([controller, folder]) => [controller, join(folder, id)]));
    for (const folder of new Set(folders.values())) await mkdir(folder, { recursive: true });
    const files = this.place.version === 1 ? limitFilesV1(limits) : limitFilesV2(limits);
    const taken = new Set<string>();
    for (const [controller, file, value] of files) {
      const folder = folders.get(controller);
      if (folder && (await writeLimit(join(folder, file), value))) taken.add(controller);
    }
    const group = this.#groupIn(folders);
    if (taken.has('memory') && taken.has('pids')) return group;
    await group.remove();
    return undefined;
  }

  #groupIn(folders: ReadonlyMap<string, string>): Cgroup {
    const all = [...new Set(folders.values())];
    const memory = folders.get('memory') ?? '';
    return {
      folders: new Map(
        this.place.version === 2
          ? all.map(folder => ['', folder])
          : [...folders].filter(([controller]) => VISIBLE.includes(controller)),
      ),
      entrances: all.map(folder => join(folder, 'cgroup.procs')),
      pids: () => [...new Set(all.flatMap(readPids))],
      oomKills: () =>
        readCounter(join(memory, this.place.version === 1 ? 'memory.oom_control' : 'memory.events'), 'oom_kill'),
      refusedTasks: () => readCounter(join(folders.get('pids') ?? '', 'pids.events'), 'max'),
      remove: async () => {
        for (const folder of all) await removeGroup(folder);
      },
    };
  }
}

/** Retries, because the kernel needs a moment after the last process exits. */
const removeGroup = async (folder: string): Promise<void> => {
  for (let attempt = 0; ; attempt += 1) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) await removeGroup(join(folder, entry.name));
    const error = await rmdir(folder).then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    );
    if (!error || error.code === 'ENOENT') return;
    if (attempt === REMOVE_ATTEMPTS) throw error;
    await delay(REMOVE_EVERY_MS);
  }
};

/** Candidates below Postern's own groups come first, because an operator may have set limits for all of Postern there. */
const candidates = async (): Promise<readonly Place[]> => {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''))
    .split('\n')
    .map(line => line.split(' '))
    .map(fields => ({ path: fields[4] ?? '', rest: fields.slice(fields.indexOf('-') + 1) }));
  const own = (await readFile('/proc/self/cgroup', 'utf8').catch(() => '')).split('\n').map(line => line.split(':'));
  const unified = mounts.find(({ rest: [type] }) => type === 'cgroup2')?.path;
  const unifiedOwn = own.find(([id]) => id === '0')?.[2] ?? '/';
  const v2 = (folder: string): Place => ({ version: 2, folders: new Map(CONTROLLERS[2].map(name => [name, folder])) });
  const v1 = (pathOf: (controller: string) => string | undefined): Place => {
    const found = CONTROLLERS[1].flatMap(controller => {
      const mount = mounts.find(
        ({ rest: [type, , options] }) => type === 'cgroup' && options?.split(',').includes(controller),
      );
      return mount ? [[controller, join(mount.path, pathOf(controller) ?? '/')] as const] : [];
    });
    return { version: 1, folders: new Map(found) };
  };
  return [
    ...(unified ? [v2(join(unified, unifiedOwn)), v2(unified)] : []),
    v1(controller => own.find(([, names]) => names?.split(',').includes(controller))?.[2]),
    v1(() => '/'),
  ];
};
