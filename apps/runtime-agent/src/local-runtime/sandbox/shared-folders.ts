import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** Every user of the machine may write here. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm'];

/**
 * Deletes what a user has left in folders that processes without a sandbox share, except below `kept`. Nothing of the user
 * runs any more.
 */
export const removeFilesOf = async (uid: number, kept: string): Promise<void> => {
  const folders = SHARED.filter(folder => existsSync(folder));
  const elsewhere = ['!', '-path', `${kept.replace(/[*?[\]\\]/g, '\\$&')}/*`];
  const found = ['-xdev', '-mindepth', '1', ...elsewhere, '-uid', String(uid), '-delete'];
  // A folder of the user that holds a file of somebody else stays.
  await promisify(execFile)('find', [...folders, ...found]).catch(() => {});
};
