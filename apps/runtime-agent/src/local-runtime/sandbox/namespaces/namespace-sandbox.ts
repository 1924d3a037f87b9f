import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxFolders, SandboxView } from '../../instances/confinement.js';
import { asUser } from '../own-users.js';
import { type Mount, mountTable, readOnly, writable } from './sandbox-mounts.js';
import { findSandboxPrograms, type SandboxPrograms } from './sandbox-programs.js';
import { makeSandboxRoot, type SandboxRoot } from './sandbox-root.js';

/** Where processes inside find their folders. */
const INSIDE = {
  app: '/app',
  home: '/home/app',
  temporary: '/tmp',
  cache: '/cache',
  disk: '/data',
  programs: '/opt/postern',
};

/** Whom the processes of a sandbox run as; for an ordinary user that is the user itself. */
export interface SandboxOwner {
  readonly uid: number;
  readonly gid: number;
}

export interface SandboxRequest {
  readonly id: string;
  readonly owner: SandboxOwner;
  readonly folders: SandboxFolders;
  /** Folders of its control group, by the name of the controller; the empty name for all. */
  readonly groups: ReadonlyMap<string, string>;
}

/**
 * Runs as the first process of the namespaces and ends them when the command has ended: the kernel then kills the rest.
 * A first process gets no signal that it has not asked for.
 */
const FIRST = `trap : TERM INT HUP
umount=$1 directory=$2; shift 2
"$umount" -l /old || exit 125
cd "$directory" || exit 125
unset OLDPWD
"$@"
exit $?`;

/** Mounts what the table says and makes it the root; "$5" changes into it where that is not the root itself. */
const ENTER = `"$1" --all --fstab "$2" || exit 125
cd "$3" && "$4" . "$5" || exit 125
shift 5
exec "$@"`;

/** Mount, process and IPC namespaces with a root directory of their own, made by the programs of util-linux. */
export class NamespaceSandbox {
  private constructor(
    private readonly folder: string,
    private readonly frame: SandboxRoot,
    private readonly programs: SandboxPrograms,
    private readonly staticServers: string,
  ) {}

  /** Undefined where the machine does not allow it. Tries it out, so that nothing is promised in vain. */
  static async find(
    platformHome: string,
    programFolders: readonly string[],
    frames = join(platformHome, 'boxes/frames'),
  ): Promise<NamespaceSandbox | undefined> {
    const programs = findSandboxPrograms();
    if (!programs) return undefined;
    const folder = join(platformHome, 'boxes');
    const staticServers = join(platformHome, 'static-server');
    await mkdir(staticServers, { recursive: true });
    const frame = await makeSandboxRoot(frames, programFolders);
    const namespaces = new NamespaceSandbox(folder, frame, programs, staticServers);
    return (await namespaces.#works()) ? namespaces : undefined;
  }

  /** Prepares a sandbox; `clear` removes what it needs on disk. */
  async view({ id, owner, folders, groups }: SandboxRequest): Promise<SandboxView> {
    const place = this.#placeOf(id);
    await mkdir(place, { recursive: true, mode: 0o700 });
    await writeFile(join(place, 'passwd'), `${ROOT}app:x:${owner.uid}:${owner.gid}::${INSIDE.home}:/bin/sh\n`);
    await writeFile(join(place, 'group'), `root:x:0:\napp:x:${owner.gid}:\n`);
    const app = folders.appWritable ? writable : readOnly;
    const mounts: Mount[] = [
      ...this.frame.mounts,
      readOnly(join(place, 'passwd'), '/etc/passwd'),
      readOnly(join(place, 'group'), '/etc/group'),
      readOnly(this.staticServers, INSIDE.programs),
      ...[...groups].map(([name, path]) => readOnly(path, `/sys/fs/cgroup${name && `/${name}`}`)),
      app(folders.app, INSIDE.app),
      writable(folders.home, INSIDE.home),
      writable(folders.temporary, INSIDE.temporary),
      ...(folders.cache === undefined ? [] : [writable(folders.cache, INSIDE.cache)]),
      ...(folders.disk === undefined ? [] : [writable(folders.disk, INSIDE.disk)]),
    ];
    const table = join(place, `mounts-${randomUUID()}`);
    await writeFile(table, mountTable(this.#root, this.#isRoot ? join(this.#root, 'root') : this.#root, mounts));
    const { app: seenApp, home, temporary, cache, disk } = INSIDE;
    return {
      folders: {
        ...{ ...folders, app: seenApp, home, temporary },
        ...(folders.cache !== undefined && { cache }),
        ...(folders.disk !== undefined && { disk }),
      },
      pathOf: path =>
        path.startsWith(`${this.staticServers}/`) ? INSIDE.programs + path.slice(this.staticServers.length) : path,
      startDirectory: '/',
      hasNamespaces: true,
      enclose: (argv, directory) => this.#enclose(table, owner, argv, join(seenApp, directory)),
    };
  }

  async clear(id: string): Promise<void> {
    await rm(this.#placeOf(id), { recursive: true, force: true });
  }

  get #isRoot(): boolean {
    return process.getuid?.() === 0;
  }

  /** As root the root directory is another than that of the mounts, where the kernel makes no user namespaces. */
  get #root(): string {
    return this.#isRoot ? this.frame.folder : join(this.frame.folder, 'root');
  }

  #enclose(table: string, { uid, gid }: SandboxOwner, argv: readonly string[], directory: string): readonly string[] {
    const { unshare, mount, umount, pivotRoot, chroot } = this.programs;
    const namespaces = ['--mount', '--pid', '--ipc', '--fork', '--kill-child'];
    const first = ['/bin/sh', '-c', FIRST, 'first', umount, directory];
    const enter = (old: string) => ['/bin/sh', '-c', ENTER, 'enter', mount, table, this.#root, pivotRoot, old];
    if (this.#isRoot)
      return [unshare, '--cgroup', ...namespaces, '--', ...enter('root/old'), chroot, 'root', ...first, ...argv];
    const asItself = [unshare, '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
    const bare = ['setpriv', '--no-new-privs', '--inh-caps=-all', '--'];
    return [unshare, '--map-root-user', ...namespaces, '--', ...enter('old'), ...first, ...asItself, ...bare, ...argv];
  }

  async #works(): Promise<boolean> {
    const id = `probe-${randomUUID()}`;
    const folder = join(this.#placeOf(id), 'folder');
    await mkdir(folder, { recursive: true });
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const folders = { app: folder, appWritable: false, home: folder, temporary: folder };
    try {
      const view = await this.view({ id, owner, folders, groups: new Map() });
      const command = [process.execPath, '-e', 'process.chdir("/tmp")'];
      const [program = '', ...args] = view.enclose(this.#isRoot ? asUser(2 ** 15, command) : command, '.');
      await promisify(execFile)(program, args, { cwd: '/', timeout: 60_000 });
      return true;
    } catch {
      return false;
    } finally {
      await this.clear(id);
    }
  }

  #placeOf(id: string): string {
    return join(this.folder, 'places', id);
  }
}

const ROOT = 'root:x:0:0::/nonexistent:/usr/sbin/nologin\n';
