import { join } from 'node:path';
import { cacheDir } from './nats-install.js';
import { isReachable } from './postgres-binaries.js';

/** A user id without rights: other programs run as users without a name. */
export const NOBODY = { uid: 65_534, gid: 65_534 };

/** The folder of downloaded programs: the cache of the workspace, or a folder that other users can enter. */
export function programFolder(): string {
  const cache = cacheDir();
  if (process.getuid?.() !== 0 || isReachable(join(cache, 'any'), NOBODY)) return cache;
  return join(process.env['POSTERN_OPEN_FOLDER'] || '/var/lib/postern-start', 'programs');
}
