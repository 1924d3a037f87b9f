import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../errors.js';

const run = promisify(execFile);
const OUTPUT = { maxBuffer: 64 * 2 ** 20 };

/** A file or link of a folder; `path` is relative to it and uses slashes. */
export interface LocalFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly modifiedAt: number;
  /** The target of a symbolic link. */
  readonly target?: string;
}

export interface LocalFiles {
  readonly files: readonly LocalFile[];
  /** What is left out although .gitignore does not name it, one sentence each. */
  readonly leftOut: readonly string[];
}

/**
 * The files of a folder that .gitignore does not exclude. In a Git repository those are the tracked files and the new ones, as
 * they are on disk.
 * @throws UsageError if it is no folder, or Git is missing.
 */
export const localFiles = async (folder: string): Promise<LocalFiles> => {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`There is no folder ${folder}.`);
  const files: LocalFile[] = [];
  const leftOut: string[] = [];
  for (const path of [...new Set(await pathsIn(folder))].sort()) {
    const entry = await lstat(join(folder, path)).catch(() => undefined);
    // Deleted, but not yet from the index.
    if (!entry) continue;
    const file = { path, size: 0, mode: entry.mode, modifiedAt: entry.mtimeMs };
    if (entry.isFile()) files.push({ ...file, size: entry.size });
    else if (entry.isSymbolicLink()) {
      const target = (await readlink(join(folder, path))).replaceAll('\\', '/');
      if (leadsOut(path, target)) leftOut.push(`${path} is left out: it is a link to ${target}, outside the folder.`);
      else files.push({ ...file, target });
    } else if (entry.isDirectory()) leftOut.push(`${path} is left out: it is a Git repository of its own.`);
    else leftOut.push(`${path} is left out: it is neither a file nor a link.`);
  }
  return { files, leftOut };
};

const pathsIn = async (folder: string): Promise<readonly string[]> => {
  try {
    if (await isInRepository(folder))
      return await listed(folder, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
    return await pathsWithoutRepository(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UsageError('Git is not installed. It is needed to find the files that .gitignore does not exclude.');
    throw error;
  }
};

const isInRepository = async (folder: string): Promise<boolean> => {
  try {
    const { stdout } = await run('git', ['-C', folder, 'rev-parse', '--is-inside-work-tree'], OUTPUT);
    return stdout.trim() === 'true';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    return false;
  }
};

/** Lets Git read the .gitignore files of a folder that is no repository. */
const pathsWithoutRepository = async (folder: string): Promise<readonly string[]> => {
  const home = await mkdtemp(join(tmpdir(), 'postern-files-'));
  try {
    await run('git', ['init', '--quiet', '--bare', home], OUTPUT);
    const given = [`--git-dir=${home}`, `--work-tree=${folder}`];
    return await listed(folder, [
      ...given,
      'ls-files',
      '-z',
      '--others',
      '--exclude-standard',
      '--exclude=node_modules/',
    ]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

const listed = async (folder: string, args: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await run('git', args, { ...OUTPUT, cwd: folder });
  return stdout.split('\0').flatMap(path => (path === '' ? [] : path.replace(/\/$/, '')));
};

const leadsOut = (path: string, target: string): boolean => {
  if (target === '' || posix.isAbsolute(target) || /^[A-Za-z]:/.test(target)) return true;
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  return resolved === '..' || resolved.startsWith('../');
};
