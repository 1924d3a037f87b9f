/** One line of a table of mounts. */
export interface Mount {
  readonly source: string;
  /** As the processes inside see it. */
  readonly target: string;
  readonly type?: 'proc' | 'tmpfs';
  readonly options: readonly string[];
}

const READ_ONLY = ['bind', 'ro', 'nosuid', 'nodev'];
const WRITABLE = ['bind', 'rw', 'nosuid', 'nodev'];

/** With what is mounted below it, which stays as it is. */
export const readOnlyTree = (source: string, target = source): Mount => ({
  source,
  target,
  options: ['rbind', 'ro', 'nosuid', 'nodev'],
});

export const readOnly = (source: string, target = source): Mount => ({ source, target, options: READ_ONLY });

export const writable = (source: string, target = source): Mount => ({ source, target, options: WRITABLE });

/** For root of a user namespace, whose files cannot lend rights, and who cannot mount them again with less than that. */
export const writableForRoot = (source: string, target: string): Mount => ({
  source,
  target,
  options: ['bind', 'rw'],
});

export const device = (path: string): Mount => ({ source: path, target: path, options: ['bind', 'rw', 'nosuid'] });

/** What is mounted at `source` in the sandbox already, and below it, at another path too. */
export const again = (source: string, target: string): Mount => ({ source, target, options: ['rbind'] });

/** What every sandbox has beside folders: its own processes, and memory that they may share. */
export const KERNEL_MOUNTS: readonly Mount[] = [
  { source: 'proc', target: '/proc', type: 'proc', options: ['nosuid', 'nodev', 'noexec'] },
  { source: 'shm', target: '/dev/shm', type: 'tmpfs', options: ['mode=1777', 'size=64m', 'nosuid', 'nodev'] },
];

/** The table that `mount --all` reads; `root` is where the sandbox will have its root directory. */
export const mountTable = (frame: string, root: string, mounts: readonly Mount[]): string =>
  [
    { source: frame, target: frame, options: READ_ONLY },
    ...mounts.map(mount => ({ ...mount, target: `${root}${mount.target}` })),
  ]
    .map(
      ({ source, target, options, ...mount }) =>
        `${escaped(source)} ${escaped(target)} ${('type' in mount && mount.type) || 'none'} ${options.join(',')} 0 0\n`,
    )
    .join('');

/** As fstab(5) writes characters that separate fields. */
const escaped = (path: string): string =>
  path.replace(/[\s\\#]/g, character => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
