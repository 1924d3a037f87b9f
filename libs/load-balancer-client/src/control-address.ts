import { openSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** What the kernel takes as the address of a unix socket (`sun_path`), its closing zero left out. */
const LONGEST_ADDRESS = process.platform === 'darwin' ? 103 : 107;
const folders = new Map<string, number>();

/**
 * An address by which this process reaches the socket at the path. One that is too long for the kernel is reached through
 * the folder, which stays open.
 */
export const addressOf = (path: string): string => {
  if (Buffer.byteLength(path) <= LONGEST_ADDRESS || process.platform !== 'linux') return path;
  const folder = dirname(path);
  const descriptor = folders.get(folder) ?? openSync(folder, 'r');
  folders.set(folder, descriptor);
  return `/proc/self/fd/${descriptor}/${basename(path)}`;
};
