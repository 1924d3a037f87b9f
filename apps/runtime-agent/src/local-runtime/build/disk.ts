import { execFile } from 'node:child_process';
import { rm, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** What a folder takes up; 0 when it is not there. Files that vanish meanwhile do not count. */
export const usedBytes = async (folder: string): Promise<number> => {
  const output = await run('du', ['-s', '--block-size=1', '--', folder]).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  );
  return Number.parseInt(output, 10) || 0;
};

/** Deletes a tree also where a folder in it forbids that to its owner. */
export const removeTree = async (folder: string): Promise<void> => {
  const options = { recursive: true, force: true, maxRetries: 3 };
  await rm(folder, options).catch(async () => {
    await run('chmod', ['-R', 'u+rwX', '--', folder]).catch(() => {});
    await rm(folder, options);
  });
};
