import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isProgram } from '../../../infrastructure/is-program.js';
import { IMAGE_OPTIONS } from '../namespaces/sandbox-mounts.js';
import { filesFor } from './area-level.js';

/** Making an image of the files of a large disk, or repairing one, takes minutes. */
const PROGRAM_TIMEOUT_MS = 15 * 60_000;

const run = (program: string, args: readonly string[], timeout = PROGRAM_TIMEOUT_MS) =>
  promisify(execFile)(program, [...args], { timeout });

const MIB = 2 ** 20;
const BLOCK = 4_096;
const INODE = 256;
/** ext4 keeps 2 % of the blocks for its own use, at most this many. */
const RESERVED_BLOCKS = 4_096;
const SMALLEST_JOURNAL_MIB = 4;
const LARGEST_JOURNAL_MIB = 64;

const FOLDERS = ['/usr/sbin', '/sbin', '/usr/bin', '/bin'];
const PROGRAMS = ['mke2fs', 'e2fsck', 'resize2fs', 'losetup', 'mount', 'umount', 'unshare'] as const;
type Programs = Readonly<Record<(typeof PROGRAMS)[number], string>>;

/** e2fsck: it found nothing, or it repaired everything. */
const REPAIRED = new Set([0, 1, 2, 3]);
const RELEASE_TIMEOUT_MS = 10_000;
const RELEASE_POLL_MS = 20;

/** The exit status of a program whose image could not be mounted. */
export const NOT_MOUNTED = 100;
/** Another image may have got the device before it was mounted here, so it is compared afterwards. */
const MOUNT_AND_RUN = `
  mount=$1 options=$2 device=$3 path=$4 folder=$5 losetup=$6; shift 6
  "$mount" -t ext4 -o "$options" "\${device:-$path}" "$folder" || exit ${NOT_MOUNTED}
  found=$(echo $("$losetup" --noheadings --output NAME --associated "$path"))
  case $found in *' '* | '') exit ${NOT_MOUNTED} ;; esac
  [ "$found" = "\${device:-$found}" ] || exit ${NOT_MOUNTED}
  exec "$@"`;

export interface ImageRequest {
  readonly path: string;
  /** The folder whose content the image gets. */
  readonly content: string;
  /** How many bytes files can occupy. */
  readonly bytes: number;
  /** Whether the files must survive a power failure. */
  readonly isKept: boolean;
}

/**
 * Files that contain a file system each, so that the kernel limits the bytes and the number of the files inside. They are sparse: the
 * machine stores only what was written.
 */
export class DiskImages {
  private constructor(private readonly programs: Programs) {}

  /** Undefined if this process cannot mount images in a namespace, which a probe below `home` verifies. */
  static async find(home: string): Promise<DiskImages | undefined> {
    if (process.getuid?.() !== 0) return undefined;
    const found = PROGRAMS.map(name => [name, FOLDERS.map(at => join(at, name)).find(isProgram)] as const);
    if (found.some(([, path]) => path === undefined)) return undefined;
    const images = new DiskImages(Object.fromEntries(found) as Programs);
    return (await images.#works(home).catch(() => false)) ? images : undefined;
  }

  /** Finds them once, when they are first needed. */
  static whenNeeded(home: string): () => Promise<DiskImages | undefined> {
    let found: Promise<DiskImages | undefined> | undefined;
    return () => (found ??= DiskImages.find(home));
  }

  /** Creates the image, and replaces an existing one. */
  async make({ path, content, bytes, isKept }: ImageRequest): Promise<void> {
    const draft = `${path}.draft`;
    const features = isKept ? ['-J', `size=${journalMib(bytes)}`] : ['-O', '^has_journal,^resize_inode'];
    await rm(draft, { force: true });
    await resize(draft, isKept ? keptSizeOf(bytes) : sizeOf(bytes));
    const options = [
      ...['-q', '-F', '-t', 'ext4', '-b', String(BLOCK), '-I', String(INODE), '-N', String(filesFor(bytes)), '-m', '0'],
      ...[...features, '-E', 'lazy_itable_init=1,nodiscard', '-d', content, draft],
    ];
    await run(this.programs.mke2fs, options).catch(async (cause: { stderr?: string }) => {
      await rm(draft, { force: true });
      // The message of the program contains paths of the machine.
      const isFull = /No space left|Could not allocate/.test(cause.stderr ?? '');
      const why = isFull ? ': its content, or the machine, leaves too little space' : '';
      throw new Error(`a file system of ${Math.round(bytes / MIB)} MiB cannot be created${why}`, { cause });
    });
    await rename(draft, path);
  }

  /**
   * Prepares an image that an earlier sandbox used: waits until the kernel has released it, repairs it, and enlarges it to `bytes`.
   * @throws if it is still in use, or cannot be repaired.
   */
  async prepare(path: string, bytes: number): Promise<void> {
    await this.released(path);
    await this.#repair(path, '-p');
    if (!(await this.isSmaller(path, bytes))) return;
    await this.#repair(path, '-fp');
    await resize(path, keptSizeOf(bytes));
    await run(this.programs.resize2fs, [path]);
  }

  /** Whether `prepare` would enlarge the image. */
  async isSmaller(path: string, bytes: number): Promise<boolean> {
    return (await stat(path)).size < keptSizeOf(bytes);
  }

  /** Mounts an image for this process and all that it starts. */
  async mount(path: string, folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    // A build as root of a user namespace could not clear `nosuid` and `nodev`; the mounts of other sandboxes add them.
    const options = IMAGE_OPTIONS.filter(option => option !== 'nosuid' && option !== 'nodev');
    await run(this.programs.mount, ['-t', 'ext4', '-o', options.join(','), path, folder]);
  }

  /**
   * Mounts an image that servers use which may have outlived the process that mounted it: it is repaired if it is not in use, and if
   * another namespace of mounts uses it, this one gets the same file system. Does nothing if it is mounted here.
   */
  async share(path: string, folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    if (await isMounted(folder)) return;
    const device = await this.deviceOf(path);
    if (device === undefined) await this.#repair(path, '-p');
    const options = IMAGE_OPTIONS.filter(option => option !== 'loop' || device === undefined);
    await run(this.programs.mount, ['-t', 'ext4', '-o', options.join(','), device ?? path, folder]);
  }

  /**
   * Starts a program in a namespace of mounts in which the image is mounted at `folder`: if another namespace uses it, both have the same
   * file system. The mount ends with the program, which exits with `NOT_MOUNTED` if the image cannot be mounted.
   */
  async within(
    path: string,
    folder: string,
    argv: readonly string[],
    stdio: StdioOptions,
    signal: AbortSignal,
  ): Promise<ChildProcess> {
    await mkdir(folder, { recursive: true });
    const device = await this.deviceOf(path);
    if (device === undefined) await this.#repair(path, '-p');
    const options = IMAGE_OPTIONS.filter(option => option !== 'loop' || device === undefined).join(',');
    const { unshare, mount, losetup } = this.programs;
    const given = [mount, options, device ?? '', path, folder, losetup, ...argv];
    signal.throwIfAborted();
    return spawn(unshare, ['--mount', '--', '/bin/sh', '-c', MOUNT_AND_RUN, 'sh', ...given], {
      stdio,
      env: { ...process.env, LC_ALL: 'C' },
    });
  }

  /** Does nothing if no image is mounted there. */
  async unmount(folder: string): Promise<void> {
    if (await isMounted(folder))
      await run(this.programs.umount, [folder]).catch(() => run(this.programs.umount, ['--lazy', folder]));
  }

  /** Waits until no namespace uses the image: two loop devices for one image would destroy its content. */
  async released(path: string): Promise<void> {
    const deadline = performance.now() + RELEASE_TIMEOUT_MS;
    for (;;) {
      if ((await this.deviceOf(path)) === undefined) return;
      if (performance.now() > deadline) throw new Error('the processes that used its file system have not ended yet');
      await delay(RELEASE_POLL_MS);
    }
  }

  /** The loop device of an image, in whichever namespace it is mounted. */
  async deviceOf(path: string): Promise<string | undefined> {
    const options = ['--noheadings', '--output', 'NAME', '--associated', path];
    const { stdout } = await run(this.programs.losetup, options);
    return stdout.trim().split(/\s+/)[0] || undefined;
  }

  async #repair(path: string, how: '-p' | '-fp'): Promise<void> {
    await run(this.programs.e2fsck, [how, path]).catch((cause: { code?: number }) => {
      if (!REPAIRED.has(cause.code ?? -1))
        throw new Error('its file system is damaged, and the operator of the platform must repair it with e2fsck', {
          cause,
        });
    });
  }

  async #works(home: string): Promise<boolean> {
    const folder = await mkdtemp(join(home, 'image-probe-'));
    try {
      const image = join(folder, 'image');
      const content = join(folder, 'content');
      await mkdir(content);
      await this.make({ path: image, content, bytes: MIB, isKept: false });
      const mount = [this.programs.mount, '-t', 'ext4', '-o', IMAGE_OPTIONS.join(','), image, content];
      await run(this.programs.unshare, ['--mount', '--', ...mount], RELEASE_TIMEOUT_MS);
      return true;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The size of an image in which files can occupy `bytes`. */
const sizeOf = (bytes: number): number => {
  const blocks = Math.ceil(bytes / BLOCK);
  const tables = Math.ceil((filesFor(bytes) * INODE) / BLOCK);
  const reserved = Math.min(RESERVED_BLOCKS, Math.ceil(blocks / 48));
  // Bitmaps, group descriptors, copies of the superblock, and the blocks that map large files.
  const rest = 256 + Math.ceil(blocks / 200);
  return (blocks + tables + reserved + rest) * BLOCK;
};

/** The size of an image with a journal. */
const keptSizeOf = (bytes: number): number => sizeOf(bytes) + journalMib(bytes) * MIB;

const journalMib = (bytes: number): number =>
  Math.min(LARGEST_JOURNAL_MIB, Math.max(SMALLEST_JOURNAL_MIB, Math.ceil(bytes / MIB / 64)));

const isMounted = async (folder: string): Promise<boolean> => {
  const [own, parent] = await Promise.all([stat(folder), stat(join(folder, '..'))]).catch(() => []);
  return own !== undefined && own.dev !== parent?.dev;
};

const resize = async (path: string, bytes: number): Promise<void> => {
  const file = await open(path, 'a', 0o600);
  try {
    await file.truncate(bytes);
  } finally {
    await file.close();
  }
};
