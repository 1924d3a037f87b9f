import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Data that other users access if root starts Postern: PostgreSQL's cluster, web services and databases, and the
 * sample.
 */
const PARTS = ['postgres', 'platform', 'sample-repository'];
const LINK = 'open';

/** Contains the data of homes that other users cannot enter; also read by tools/setup/open-programs.mjs. */
const openFolder = (): string => process.env['POSTERN_OPEN_FOLDER'] || '/var/lib/postern-start';

/** Whether every user may traverse the folder and its parents. */
export const isOpenToAll = (folder: string): boolean => {
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
};

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * The folder of data that other users access: the home itself, or, if they cannot enter it, a folder below
 * `/var/lib/postern-start` to which the link `open` in the home points.
 * @throws if the link is broken, because an empty folder would silently replace the data.
 */
export const openDataOf = (home: string, isRoot = process.getuid?.() === 0): string => {
  const link = join(home, LINK);
  if (isThere(link)) {
    if (!existsSync(link))
      throw new Error(
        `${link} leads to ${readlinkSync(link)}, which is missing, and with it the data of this home.\n` +
          `Restore that folder from a backup, or delete ${home} to start over.`,
      );
    return movedTo(realpathSync(link), home);
  }
  if (!isRoot || isOpenToAll(home)) return home;
  const target = join(openFolder(), 'homes', randomUUID());
  mkdirSync(target, { recursive: true, mode: 0o711 });
  // Other users may traverse the folders to their own data, but not list them.
  for (const folder of [dirname(target), target]) chmodSync(folder, 0o711);
  symlinkSync(target, link);
  return movedTo(realpathSync(link), home);
};

/** Moves the data that is still in the home; an interrupted move continues at the next call. */
const movedTo = (target: string, home: string): string => {
  for (const part of PARTS) if (isThere(join(home, part)) && !isThere(join(target, part))) move(home, target, part);
  return target;
};

const move = (home: string, target: string, part: string): void => {
  const [from, to] = [join(home, part), join(target, part)];
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const draft = `${to}.new`;
    rmSync(draft, { recursive: true, force: true });
    // `cp -a` keeps the owners, unlike cpSync.
    execFileSync('cp', ['-a', '--', from, draft]);
    renameSync(draft, to);
    rmSync(from, { recursive: true });
  }
};
