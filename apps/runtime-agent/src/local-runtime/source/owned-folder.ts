import { chmod, chown, mkdir } from 'node:fs/promises';
import type { ConfinedPlace } from '../instances/confinement.js';

/** Creates a folder that only the place's owner and root can enter. */
export const makeOwned = async (folder: string, { owner }: ConfinedPlace): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (owner) await chown(folder, owner.uid, owner.gid);
};

/** Creates a folder that others can traverse to reach their own folders, but cannot list. */
export const makePassable = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711);
};
