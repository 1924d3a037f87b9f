import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SECRET_FILES_FOLDER } from '@postern/contracts';
import type { SandboxFolders, SandboxView } from '../../instances/confinement.js';
import type { NameFiles } from '../network/name-files.js';
import { asUser } from '../own-users.js';
import { asItself, asRootOfUsers, intoImage, type SandboxOwner } from './credentials.js';
import { IMAGE, IN_IMAGE, imageMounts } from './image-view.js';
import { image, type Mount, mountTable, readOnly, writable, writableForRoot } from './sandbox-mounts.js';
import { findSandboxPrograms, type SandboxPrograms } from './sandbox-programs.js';
import { makeSandboxRoot, type SandboxRoot } from './sandbox-root.js';
import { canMakeWorkingCopies, workingCopy } from './working-copy.js';

/** Paths of the folders inside the sandbox. */
const INSIDE = {
  app: '/app',
  home: '/home/app',
  temporary: '/tmp',
  cache: '/cache',
  disk: '/data',
  programs: '/opt/postern',
};

export interface SandboxRequest {
  readonly id: string;
  /** The user that processes run as; Postern's own user if Postern does not run as root. */
  readonly owner: SandboxOwner;
  readonly folders: SandboxFolders;
  /** Folders of its control group by controller; the empty name stands for all controllers. */
  readonly groups: ReadonlyMap<string, string>;
  /** Replace the files of the machine by which names are resolved. */
  readonly files?: NameFiles | undefined;
  /**
   * Whether the command becomes root of a user namespace with `asRootOfUsers`. The command then drops privileges itself, as a command
   * in an image does with `intoImage`.
   */
  readonly isRootOfUsers?: boolean;
}

/**
 * Runs as PID 1 of the namespaces and exits when the command exits: the kernel then kills the rest. PID 1 receives only signals that
 * it handles.
 */
const FIRST = `trap : TERM INT HUP
umount=$1 directory=$2; shift 2
"$umount" -l /old || exit 125
cd "$directory" || exit 125
unset OLDPWD
"$@"
exit $?`;

/** Mounts the fstab "$2" and makes "$3" the root directory, with the old root at "$5"; the other arguments are the command. */
const ENTER = `"$1" --all --fstab "$2" || exit 125
cd "$3" && "$4" . "$5" || exit 125
shift 5
exec "$@"`;

/** Mount, PID and IPC namespaces with a separate root directory, created by the programs of util-linux. */
export class NamespaceSandbox {
  private constructor(
    private readonly folder: string,
    private readonly frame: SandboxRoot,
    private readonly programs: SandboxPrograms,
    private readonly staticServers: string,
    /** Whether processes can get a writable view of a read-only folder. */
    readonly hasWorkingCopies: boolean,
  ) {}

  /**
   * Undefined if the host does not support it, which a probe sandbox verifies.
   * @param probe the command of the probe sandbox.
   */
  static async find(
    platformHome: string,
    programFolders: readonly string[],
    frames = join(platformHome, 'boxes/frames'),
    probe: readonly string[] = [process.execPath, '-e', 'process.chdir("/tmp")'],
  ): Promise<NamespaceSandbox | undefined> {
    const programs = findSandboxPrograms();
    if (!programs) return undefined;
    const folder = join(platformHome, 'boxes');
    const staticServers = join(platformHome, 'static-server');
    await mkdir(staticServers, { recursive: true });
    const frame = await makeSandboxRoot(frames, programFolders);
    await mkdir(folder, { recursive: true });
    const hasWorkingCopies = process.getuid?.() === 0 && (await canMakeWorkingCopies(folder, programs));
    const namespaces = new NamespaceSandbox(folder, frame, programs, staticServers, hasWorkingCopies);
    return (await namespaces.#works(probe)) ? namespaces : undefined;
  }

  /** Prepares a sandbox; `clear` removes its files from disk. */
  async view({ id, owner, folders, groups, files, isRootOfUsers = false }: SandboxRequest): Promise<SandboxView> {
    const place = this.#placeOf(id);
    await mkdir(place, { recursive: true, mode: 0o700 });
    await writeFile(join(place, 'passwd'), `${ROOT}app:x:${owner.uid}:${owner.gid}::${INSIDE.home}:/bin/sh\n`);
    await writeFile(join(place, 'group'), `root:x:0:\napp:x:${owner.gid}:\n`);
    const layout = this.#layout(isRootOfUsers);
    const own = isRootOfUsers ? writableForRoot : writable;
    const mounts: Mount[] = [
      ...this.frame.mounts,
      ...(files ? [readOnly(files.resolvers, '/etc/resolv.conf'), readOnly(files.hosts, '/etc/hosts')] : []),
      readOnly(join(place, 'passwd'), '/etc/passwd'),
      readOnly(join(place, 'group'), '/etc/group'),
      readOnly(this.staticServers, INSIDE.programs),
      ...[...groups].map(([name, path]) => readOnly(path, `/sys/fs/cgroup${name && `/${name}`}`)),
      this.#application(folders, folders.isImage ? IMAGE : INSIDE.app),
      ...(folders.isImage ? imageMounts(layout.made, folders, groups) : []),
      own(folders.home, INSIDE.home),
      own(folders.temporary, INSIDE.temporary),
      ...(folders.cache === undefined ? [] : [writable(folders.cache, INSIDE.cache)]),
      ...(folders.disk === undefined ? [] : [writable(folders.disk, INSIDE.disk)]),
      ...(folders.secrets === undefined ? [] : [readOnly(folders.secrets, SECRET_FILES_FOLDER)]),
    ];
    const table = join(place, `mounts-${randomUUID()}`);
    await writeFile(table, mountTable(layout.folder, layout.made, mounts, folders.images?.map(image)));
    const { app: seenApp, home, temporary, cache, disk } = { ...INSIDE, ...(folders.isImage && IN_IMAGE) };
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
      wrap: (argv, directory) =>
        this.#wrap(
          { table, layout, directory: folders.isImage ? '/' : join(seenApp, directory) },
          isRootOfUsers || folders.isImage || this.#isRoot ? argv : asItself(this.programs, owner, argv),
        ),
    };
  }

  #application({ app, appWritable, layer }: SandboxFolders, target: string): Mount {
    const copy = layer !== undefined && this.hasWorkingCopies ? workingCopy(app, layer, target) : undefined;
    return copy ?? (appWritable ? writable : readOnly)(app, target);
  }

  /** For a view of an image. */
  intoImage(owner: SandboxOwner, argv: readonly string[]): readonly string[] {
    return intoImage(this.programs, owner, argv);
  }

  /** @param first see {@link asRootOfUsers}. */
  asRootOfUsers(first: number, argv: readonly string[]): readonly string[] {
    return asRootOfUsers(this.programs, first, argv);
  }

  async clear(id: string): Promise<void> {
    await rm(this.#placeOf(id), { recursive: true, force: true });
  }

  get #isRoot(): boolean {
    return process.getuid?.() === 0;
  }

  /**
   * As root, the root directory differs from the root of the mount namespace, so that the kernel refuses to create user namespaces.
   * Exception: a command that needs one.
   */
  #layout(isRootOfUsers: boolean): Layout {
    const made = join(this.frame.folder, 'root');
    if (!this.#isRoot || isRootOfUsers) return { folder: made, made, old: 'old', change: [] };
    return { folder: this.frame.folder, made, old: 'root/old', change: [this.programs.chroot, 'root'] };
  }

  #wrap({ table, layout, directory }: Entry, argv: readonly string[]): readonly string[] {
    const { unshare, mount, umount, pivotRoot } = this.programs;
    const { folder, old, change } = layout;
    const namespaces = ['--mount', '--pid', '--ipc', '--fork', '--kill-child', '--'];
    return [
      ...[unshare, this.#isRoot ? '--cgroup' : '--map-root-user', ...namespaces],
      ...['/bin/sh', '-c', ENTER, 'enter', mount, table, folder, pivotRoot, old],
      ...change,
      ...['/bin/sh', '-c', FIRST, 'first', umount, directory],
      ...argv,
    ];
  }

  async #works(command: readonly string[]): Promise<boolean> {
    const id = `probe-${randomUUID()}`;
    const folder = join(this.#placeOf(id), 'folder');
    await mkdir(folder, { recursive: true });
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const folders = { app: folder, appWritable: false, home: folder, temporary: folder };
    try {
      const view = await this.view({ id, owner, folders, groups: new Map() });
      const [program = '', ...args] = view.wrap(this.#isRoot ? asUser(2 ** 15, command) : command, '.');
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

interface Layout {
  /** Becomes the root of the mount namespace. */
  readonly folder: string;
  /** Becomes the root directory of the processes. */
  readonly made: string;
  /** Mount point of the old root, relative to `folder`. */
  readonly old: string;
  /** Command prefix that makes `made` the root directory; runs in `folder`. */
  readonly change: readonly string[];
}

interface Entry {
  readonly table: string;
  readonly layout: Layout;
  /** The working directory of the command. */
  readonly directory: string;
}

const ROOT = 'root:x:0:0::/nonexistent:/usr/sbin/nologin\n';
