import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { device, KERNEL_MOUNTS, type Mount, readOnly, readOnlyTree } from './sandbox-mounts.js';

/** The empty directories and files that are the mount points of a sandbox. */
export interface SandboxRoot {
  /** Becomes the root of the mount namespace; `root` in it becomes the root directory of the processes. */
  readonly folder: string;
  /** Mounts of every sandbox on this host. */
  readonly mounts: readonly Mount[];
}

const run = promisify(execFile);

/** System directories: mounted, or recreated as links if the host has symbolic links there. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix'];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const EMPTY = [
  'app',
  'tmp',
  'cache',
  'data',
  'home/app',
  'proc',
  'run',
  'old',
  'dev/shm',
  'opt/postern',
  'var',
  'image',
  'etc/secrets',
];
const CGROUPS = ['memory', 'pids', 'cpu'];
/** The only entries of /etc in a sandbox: programs need them to resolve names, verify certificates and find libraries. */
const ETC = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'debian_version',
  'fonts',
  'gai.conf',
  'host.conf',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'magic',
  'mime.types',
  'networks',
  'nsswitch.conf',
  'os-release',
  'perl',
  'php',
  'pki',
  'protocols',
  'python3',
  'services',
  'ssl',
  'timezone',
];
/** Mounted instead of copied, because they change while the host runs. */
const LIVE = ['resolv.conf', 'hosts'];
const OWN = ['passwd', 'group'];
const LAYOUT = 4;

/**
 * Creates the mount points below `parent`, once for each content: a running sandbox keeps those that it was started with.
 * @param programs folders of programs outside the system directories.
 */
export const makeSandboxRoot = async (parent: string, programs: readonly string[]): Promise<SandboxRoot> => {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const system = await Promise.all(SYSTEM.map(async path => ({ path, link: await linkOf(path) })));
  const sources = await configurationFiles();
  const digest = createHash('sha256').update(JSON.stringify([LAYOUT, system, programs, await stateOf(sources)]));
  const folder = join(parent, digest.digest('hex').slice(0, 16));
  if (!existsSync(folder)) await makeFolders(parent, folder, { system, programs, sources });
  const folders = system.filter(({ link }) => link === false).map(({ path }) => path);
  const live = LIVE.filter(name => existsSync(join('/etc', name))).map(name => readOnly(`/etc/${name}`));
  return {
    folder,
    mounts: [
      ...[...folders, ...programs].map(path => readOnlyTree(path)),
      ...DEVICES.map(name => device(`/dev/${name}`)),
      ...KERNEL_MOUNTS,
      ...live,
    ],
  };
};

interface FrameContent {
  readonly system: readonly { readonly path: string; readonly link: string | false | undefined }[];
  readonly programs: readonly string[];
  readonly sources: readonly string[];
}

/** Creates a draft and renames it, because another process of the same home may use the folder. */
const makeFolders = async (
  parent: string,
  folder: string,
  { system, programs, sources }: FrameContent,
): Promise<void> => {
  const draft = join(parent, `draft-${randomUUID()}`);
  const root = join(draft, 'root');
  const folders = system.filter(({ link }) => link === false).map(({ path }) => path);
  try {
    for (const name of [...EMPTY, ...folders, ...programs, ...CGROUPS.map(name => `sys/fs/cgroup/${name}`), 'etc'])
      await mkdir(join(root, name), { recursive: true });
    for (const { path, link } of system) if (typeof link === 'string') await symlink(link, join(root, path));
    await symlink('/tmp', join(root, 'var/tmp'));
    for (const name of DEVICES) await writeFile(join(root, 'dev', name), '');
    for (const [name, target] of [
      ['fd', ''],
      ['stdin', '/0'],
      ['stdout', '/1'],
      ['stderr', '/2'],
    ] as const)
      await symlink(`/proc/self/fd${target}`, join(root, 'dev', name));
    await copyConfiguration(sources, join(root, 'etc'));
    // Programs that run before the root directory changes to `root` find their libraries through these links.
    for (const { path, link } of system) if (link !== undefined) await symlink(`root${path}`, join(draft, path));
    await rename(draft, folder).catch(error => {
      // Another process created it first.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

/** The target of a symbolic link, false for any other file, undefined if the path does not exist. */
const linkOf = async (path: string): Promise<string | false | undefined> => {
  const entry = await lstat(path).catch(() => undefined);
  if (!entry) return undefined;
  return entry.isSymbolicLink() ? readlink(path) : false;
};

const configurationFiles = async (): Promise<readonly string[]> => {
  const java = (await readdir('/etc')).filter(name => /^java-\d+/.test(name));
  return [...ETC, ...java].map(name => join('/etc', name)).filter(path => existsSync(path));
};

/** A listing that changes with the files. Omits folders that an unprivileged user cannot read; their files are not copied either. */
const stateOf = async (sources: readonly string[]): Promise<string> => {
  const closed = ['-type', 'd', '!', '-readable', '-prune'];
  const args = [...sources, ...closed, '-o', '-printf', '%p %y %m %s %T@ %l\n'];
  const { stdout } = await run('find', args, { maxBuffer: 2 ** 26 });
  return stdout;
};

/** Copies only world-readable files. */
const copyConfiguration = async (sources: readonly string[], target: string): Promise<void> => {
  for (const source of sources)
    await cp(source, join(target, basename(source)), {
      recursive: true,
      verbatimSymlinks: true,
      filter: isWorldReadable,
    });
  for (const name of [...LIVE, ...OWN]) await writeFile(join(target, name), '');
  if (!existsSync(join(target, 'nsswitch.conf')))
    await writeFile(join(target, 'nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
  const root = dirname(target);
  await run('chmod', ['-R', 'u=rwX,go=rX', '--', root]);
  await chmod(dirname(root), 0o755);
};

const isWorldReadable = async (path: string): Promise<boolean> => {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return true;
  if (!entry.isFile() && !entry.isDirectory()) return false;
  return (entry.mode & (entry.isDirectory() ? 0o005 : 0o004)) === (entry.isDirectory() ? 0o005 : 0o004);
};
