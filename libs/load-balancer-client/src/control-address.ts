import { openSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Maximum length of a Unix socket address (`sun_path`), without its terminating zero. */
const LONGEST_ADDRESS = process.platform === 'darwin' ? 103 : 107;
const folders = new Map<string, number>();

/**
 * The address of the socket at this path for this process. A path that is too long for the kernel is addressed through
 * a descriptor of its folder, which stays open.
 */
export const addressOf = (path: string): string => {
  if (Buffer.byteLength(path) <= LONGEST_ADDRESS || process.platform !== 'linux') return path;
  const folder = dirname(path);
  const descriptor = folders.get(folder) ?? openSync(folder, 'r');
  folders.set(folder, descriptor);
  return `/proc/self/fd/${descriptor}/${basename(path)}`;
};
