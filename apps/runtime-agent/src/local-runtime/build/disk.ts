import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/**
 * What a folder takes up; 0 when it is not there. Files that vanish meanwhile do not count; what `du` says about them is
 * not read, because those who write into the folder decide how much it is.
 */
export const usedBytes = (folder: string, du = 'du'): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(du, ['-s', '--block-size=1', '--', folder], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', reject).once('close', () => resolve(Number.parseInt(output, 10) || 0));
  });

/** Deletes a tree also where a folder in it forbids that to its owner. */
export const removeTree = async (folder: string): Promise<void> => {
  const options = { recursive: true, force: true, maxRetries: 3 };
  await rm(folder, options).catch(async () => {
    await run('chmod', ['-R', 'u+rwX', '--', folder]).catch(() => {});
    await rm(folder, options);
  });
};

/** What files on the file system of `folder` take up that these processes have open or mapped, and that no folder has. */
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

/** Links to its open files, and to deleted ones that it has mapped (proc(5)). */
const openFilesOf = async (pid: number): Promise<string[]> => {
  const [open, maps] = await Promise.all([
    readdir(`/proc/${pid}/fd`).catch(() => []),
    readFile(`/proc/${pid}/maps`, 'latin1').catch(() => ''),
  ]);
  const mapped = [...maps.matchAll(DELETED_MAPPING)].map(([, range]) => `/proc/${pid}/map_files/${range}`);
  return [...open.map(name => `/proc/${pid}/fd/${name}`), ...mapped];
};
