import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSmallFile } from '../../infrastructure/builders/small-file.js';
import { makeOwned } from '../source/owned-folder.js';
import type { ConfinedPlace } from './confinement.js';

/**
 * Names the user of an instance in its copy of an image, because many programs do not run as a user without a name: like the image's
 * own user, or `app`.
 * @param changes holds what differs in the copy.
 */
export const nameUser = async (changes: string, tree: string, user: string | undefined, place: ConfinedPlace) => {
  if (!place.owner) return;
  const etc = join(changes, 'etc');
  await makeOwned(etc, place);
  // They replace the root folder and /etc of the image.
  for (const folder of [changes, etc]) await chmod(folder, 0o755);
  const passwd = (await readSmallFile(tree, 'etc/passwd')) ?? '';
  await writeFile(join(etc, 'passwd'), passwdWith(passwd, user, place.owner), { mode: 0o644 });
};

/** @param user as in the configuration of an image: a name or a number, with a group or without one. */
export const passwdWith = (
  passwd: string,
  user: string | undefined,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): string => {
  const [wanted] = (user ?? '').split(':');
  const entries = passwd.split('\n').filter(line => line !== '');
  const isWanted = ([name, , id]: readonly string[]) => id !== '0' && (name === wanted || id === wanted);
  const found = entries.findIndex(line => isWanted(line.split(':')));
  const [name = 'app', password = 'x', , , ...rest] = entries[found]?.split(':') ?? [];
  const own = [name, password, uid, gid, ...(rest.length > 0 ? rest : ['', '/tmp', '/bin/sh'])].join(':');
  const others = entries.filter((_, index) => index !== found);
  // The first entry with a number is the one that counts.
  return `${[own, ...others].join('\n')}\n`;
};
