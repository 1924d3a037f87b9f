import { readdir, readlink, realpath, unlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { BuildFailed } from '@postern/runtime';

/** The maximum number of links that the kernel follows in a path. */
const MAX_HOPS = 40;

/** Finds a symbolic link below the folder that points outside it. @returns its relative path. Dangling links inside do not count. */
export const findStrayLink = async (root: string): Promise<string | undefined> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink() && !(await staysInside(root, path))) return relative(root, path);
  }
  return undefined;
};

/**
 * Removes symbolic links that point outside the repository, so that neither the platform nor a web server follows
 * them; `log` receives a line for each. No other process changes the folder meanwhile.
 */
export const removeStrayLinks = async (root: string, log: (line: string) => void): Promise<void> => {
  // A link can lead out through another one.
  for (let stray = await findStrayLink(root); stray !== undefined; stray = await findStrayLink(root)) {
    log(`The link ${stray} points outside the repository: it is left out`);
    await unlink(join(root, stray));
  }
};

/** Finds a symbolic link below the folder that is dangling, or that makes a recursive walk endless. */
export const findDeadLink = async (root: string): Promise<string | undefined> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const target = await realpath(path).catch(() => undefined);
    if (target === undefined || `${await realpath(entry.parentPath)}${sep}`.startsWith(`${target}${sep}`))
      return relative(root, path);
  }
  return undefined;
};

/** Resolves the path component by component, as the kernel does: a link that looks harmless may lead out through another link. */
const staysInside = async (root: string, link: string): Promise<boolean> => {
  const names = relative(root, link).split(sep);
  let at = root;
  for (let hops = 0; names.length > 0; ) {
    const name = names.shift()!;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (at === root) return false;
      at = dirname(at);
      continue;
    }
    const target = await readlink(join(at, name)).catch(() => undefined);
    if (target === undefined) at = join(at, name);
    else if (isAbsolute(target)) return false;
    else {
      hops += 1;
      // A loop leads nowhere.
      if (hops > MAX_HOPS) return true;
      names.unshift(...target.split('/'));
    }
  }
  return true;
};

/** A static site serves every file publicly, so its links may only lead to files of the site. @throws BuildFailed */
export const requireLinksInside = async (directory: string): Promise<void> => {
  const stray = await findStrayLink(directory);
  if (stray !== undefined) throw new BuildFailed(`the link ${stray} points outside the site`);
  const dead = await findDeadLink(directory);
  if (dead !== undefined) throw new BuildFailed(`the link ${dead} is broken or circular`);
};
