import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** World-writable folders. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm'];

/**
 * Deletes the files of a user in the folders that processes without a sandbox share, except below `kept`. No process of the user may
 * run.
 */
export const removeFilesOf = async (uid: number, kept: string): Promise<void> => {
  const folders = SHARED.filter(folder => existsSync(folder));
  const elsewhere = ['!', '-path', `${kept.replace(/[*?[\]\\]/g, '\\$&')}/*`];
  const found = ['-xdev', '-mindepth', '1', ...elsewhere, '-uid', String(uid), '-delete'];
  // `find` cannot delete a folder that holds a file of another user.
  await promisify(execFile)('find', [...folders, ...found]).catch(() => {});
};
