import { chown, mkdir } from 'node:fs/promises';
import type { ConfinedPlace } from '../instances/confinement.js';

/** Creates a folder that only the place's owner and root can enter. */
export const makeOwned = async (folder: string, { owner }: ConfinedPlace): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (owner) await chown(folder, owner.uid, owner.gid);
};
