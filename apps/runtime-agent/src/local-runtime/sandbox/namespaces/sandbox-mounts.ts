/** One line of an fstab. */
export interface Mount {
  readonly source: string;
  /** The path inside the sandbox. */
  readonly target: string;
  readonly type?: 'proc' | 'tmpfs' | 'ext4' | 'overlay';
  readonly options: readonly string[];
}

const READ_ONLY = ['bind', 'ro', 'nosuid', 'nodev'];
const WRITABLE = ['bind', 'rw', 'nosuid', 'nodev'];

/**
 * Of an image with a file system. The loop device ends with its last mount; `discard` returns the space of deleted files to the
 * machine, and `noinit_itable` writes nothing in advance.
 */
export const IMAGE_OPTIONS = ['loop', 'rw', 'nosuid', 'nodev', 'noatime', 'discard', 'noinit_itable'];

/** Includes the mounts below it, which keep their options. */
export const readOnlyTree = (source: string, target = source): Mount => ({
  source,
  target,
  options: ['rbind', 'ro', 'nosuid', 'nodev'],
});

export const readOnly = (source: string, target = source): Mount => ({ source, target, options: READ_ONLY });

export const writable = (source: string, target = source): Mount => ({ source, target, options: WRITABLE });

/**
 * For root of a user namespace: its setuid files grant no privileges outside, and it could not clear nosuid and nodev in its own
 * mounts.
 */
export const writableForRoot = (source: string, target: string): Mount => ({
  source,
  target,
  options: ['bind', 'rw'],
});

export const device = (path: string): Mount => ({ source: path, target: path, options: ['bind', 'rw', 'nosuid'] });

/** Mounts what the sandbox already has at `source`, and below it, at a second path. */
export const again = (source: string, target: string): Mount => ({ source, target, options: ['rbind'] });

/** Mounts of every sandbox besides folders: its own processes, and its shared memory. */
export const KERNEL_MOUNTS: readonly Mount[] = [
  { source: 'proc', target: '/proc', type: 'proc', options: ['nosuid', 'nodev', 'noexec'] },
  {
    source: 'shm',
    target: '/dev/shm',
    type: 'tmpfs',
    options: ['mode=1777', 'size=64m', 'nr_inodes=16k', 'nosuid', 'nodev'],
  },
];

/** Mounts an image outside the root directory of the sandbox. */
export const image = ({ path, folder }: { readonly path: string; readonly folder: string }): Mount => ({
  source: path,
  target: folder,
  type: 'ext4',
  options: IMAGE_OPTIONS,
});

/** The fstab for `mount --all`; `root` is the future root directory of the sandbox. `images` are mounted before it exists. */
export const mountTable = (
  frame: string,
  root: string,
  mounts: readonly Mount[],
  images: readonly Mount[] = [],
): string =>
  [
    ...images,
    { source: frame, target: frame, options: READ_ONLY },
    ...mounts.map(mount => ({ ...mount, target: `${root}${mount.target}` })),
  ]
    .map(
      ({ source, target, options, ...mount }) =>
        `${escaped(source)} ${escaped(target)} ${('type' in mount && mount.type) || 'none'} ${options.join(',')} 0 0\n`,
    )
    .join('');

/** Escapes field separators as fstab(5) requires. */
const escaped = (path: string): string =>
  path.replace(/[\s\\#]/g, character => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
