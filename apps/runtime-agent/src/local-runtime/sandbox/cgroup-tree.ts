import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CgroupLimits, limitFilesV1, limitFilesV2, readCounter, writeLimit } from './cgroup-files.js';

/** One group of processes that none of them can leave. */
export interface Cgroup {
  /** A process that writes its id into all of these is inside. */
  readonly entrances: readonly string[];
  /** By the controller; the empty name for all of them. */
  readonly folders: ReadonlyMap<string, string>;
  pids(): Promise<readonly number[]>;
  oomKills(): Promise<number>;
  /** How often it has wanted more processes than it may have. */
  refusedTasks(): Promise<number>;
  /** Once nothing runs inside. */
  remove(): Promise<void>;
}

/** A place for groups, by the folder of each controller; version 2 has one folder for all. */
interface Place {
  readonly version: 1 | 2;
  readonly folders: ReadonlyMap<string, string>;
}

const CONTROLLERS = ['memory', 'pids', 'cpu'];
const REMOVE_ATTEMPTS = 50;
const REMOVE_EVERY_MS = 20;

/** The kernel's groups of processes, in whichever version this machine offers them to us. */
export class CgroupTree {
  private constructor(private readonly place: Place) {}

  /** Undefined where no group can be made and limited. Tries it out, so that nothing is promised in vain. */
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
    if (version === 2) {
      const enable = CONTROLLERS.map(controller => `+${controller}`).join(' ');
      for (const folder of [...new Set(folders.values()), ...new Set(own.values())])
        await writeLimit(join(folder, 'cgroup.subtree_control'), enable);
    }
    const tree = new CgroupTree({ version, folders: own });
    // Of its own, because other runtimes of this machine may try the same at this moment.
    const probe = await tree.#limited(`probe-${randomUUID()}`, {
      memoryBytes: 2 ** 26,
      tasks: 8,
      cpuMillicores: 100,
      cpuWeight: 10,
    });
    await probe?.remove();
    return probe && tree;
  }

  /** A group of its own below this one; an earlier one of the same name is taken over. */
  async group(id: string, limits: CgroupLimits): Promise<Cgroup> {
    const group = await this.#limited(id, limits);
    if (!group) throw new Error('the kernel rejected the limits of a control group');
    return group;
  }

  /** One that was made before, perhaps by an earlier run of the platform, or not at all. */
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
    const pidsIn = async (folder: string) =>
      (await readFile(join(folder, 'cgroup.procs'), 'latin1').catch(() => '')).split('\n').filter(Boolean).map(Number);
    const memory = folders.get('memory') ?? '';
    return {
      folders: this.place.version === 2 ? new Map(all.map(folder => ['', folder])) : folders,
      entrances: all.map(folder => join(folder, 'cgroup.procs')),
      pids: async () => [...new Set((await Promise.all(all.map(pidsIn))).flat())],
      oomKills: () =>
        readCounter(join(memory, this.place.version === 1 ? 'memory.oom_control' : 'memory.events'), 'oom_kill'),
      refusedTasks: () => readCounter(join(folders.get('pids') ?? '', 'pids.events'), 'max'),
      remove: async () => {
        for (const folder of all) await removeGroup(folder);
      },
    };
  }
}

/** The kernel needs a moment after the last process is gone. */
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

/** Below our own groups first: there an operator has perhaps set limits for all of Postern. */
const candidates = async (): Promise<readonly Place[]> => {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''))
    .split('\n')
    .map(line => line.split(' '))
    .map(fields => ({ path: fields[4] ?? '', rest: fields.slice(fields.indexOf('-') + 1) }));
  const own = (await readFile('/proc/self/cgroup', 'utf8').catch(() => '')).split('\n').map(line => line.split(':'));
  const unified = mounts.find(({ rest: [type] }) => type === 'cgroup2')?.path;
  const unifiedOwn = own.find(([id]) => id === '0')?.[2] ?? '/';
  const v2 = (folder: string): Place => ({ version: 2, folders: new Map(CONTROLLERS.map(name => [name, folder])) });
  const v1 = (pathOf: (controller: string) => string | undefined): Place => {
    const found = CONTROLLERS.flatMap(controller => {
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
