import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

const MIB = 2 ** 20;
/** What copies of the data of users leave free on the disk of the platform. */
export const SPARE_BYTES = 512 * MIB;

/** @throws an error for users unless `spareBytes` are left after `bytes` more are written. */
export const requireSpace = async (folder: string, bytes: number, spareBytes: number): Promise<void> => {
  const free = await freeBytes(folder);
  if (free - bytes >= spareBytes) return;
  const mib = (count: number) => `${Math.max(0, Math.ceil(count / MIB))} MiB`;
  throw new Error(
    `the disk of the platform is too full: ${mib(bytes + spareBytes)} must be free, but only ${mib(free)} are`,
  );
};

/**
 * Disk usage of each of these folders that exists, in bytes, or in files and folders; a file with links in several folders counts for
 * one of them. Files that vanish meanwhile do not count. The error output of `du` is discarded, because untrusted programs control its
 * size.
 */
export const usageOf = (
  folders: readonly string[],
  unit: 'bytes' | 'files' = 'bytes',
  du = 'du',
): Promise<ReadonlyMap<string, number>> =>
  new Promise((resolve, reject) => {
    const options = ['--summarize', unit === 'bytes' ? '--block-size=1' : '--inodes', '--null', '--'];
    const child = spawn(du, [...options, ...folders], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', reject).once('close', () => resolve(new Map(output.split('\0').slice(0, -1).map(sizeIn))));
  });

/** Parses a line of `du`: the bytes, a tab and the path. */
const sizeIn = (line: string): [folder: string, bytes: number] => {
  const tab = line.indexOf('\t');
  return [line.slice(tab + 1), Number(line.slice(0, tab))];
};

/** Disk usage of a folder; 0 if it does not exist. */
export const usedBytes = async (folder: string): Promise<number> => (await usageOf([folder])).get(folder) ?? 0;

/** Deletes a tree even if the mode of a folder in it denies that to its owner. */
export const removeTree = async (folder: string): Promise<void> => {
  const options = { recursive: true, force: true, maxRetries: 3 };
  await rm(folder, options).catch(async () => {
    await run('chmod', ['-R', 'u+rwX', '--', folder]).catch(() => {});
    await rm(folder, options);
  });
};

/** Disk usage of files on the file system of `folder` that these processes have open or mapped, and that are in no folder. */
export const unlinkedBytes = async (pids: readonly number[], folder: string): Promise<number> => {
  const device = (await stat(folder).catch(() => undefined))?.dev;
  const sizes = new Map<number, number>();
  for (const path of (await Promise.all(pids.map(openFilesOf))).flat()) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() && found.nlink === 0 && found.dev === device) sizes.set(found.ino, found.blocks * 512);
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
};

const DELETED_MAPPING = /^([0-9a-f]+-[0-9a-f]+) .* \(deleted\)$/gm;

/** Links to open files of the process, and to deleted files that it has mapped (proc(5)). */
const openFilesOf = async (pid: number): Promise<string[]> => {
  const [open, maps] = await Promise.all([
    readdir(`/proc/${pid}/fd`).catch(() => []),
    readFile(`/proc/${pid}/maps`, 'latin1').catch(() => ''),
  ]);
  const mapped = [...maps.matchAll(DELETED_MAPPING)].map(([, range]) => `/proc/${pid}/map_files/${range}`);
  return [...open.map(name => `/proc/${pid}/fd/${name}`), ...mapped];
};
