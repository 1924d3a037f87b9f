import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SampleRepository {
  /** `owner/name`; the folder is named `owner+name`. */
  readonly name: string;
  readonly gitDirectory: string;
}

/** The Git repositories of a folder: clones with a work tree, bare ones, and bare ones in a folder `repo`. */
export const sampleRepositories = async (folder: string): Promise<readonly SampleRepository[]> => {
  const found: SampleRepository[] = [];
  for (const entry of (await readdir(folder)).sort()) {
    const gitDirectory = await gitDirectoryOf(join(folder, entry));
    if (gitDirectory !== undefined) found.push({ name: entry.replace('+', '/'), gitDirectory });
  }
  return found;
};

const gitDirectoryOf = async (path: string): Promise<string | undefined> => {
  for (const candidate of [join(path, 'repo/.git'), join(path, 'repo'), join(path, '.git'), path])
    if ((await stat(join(candidate, 'HEAD')).catch(() => undefined))?.isFile()) return candidate;
  return undefined;
};

/** Makes an exact copy that every user can read. */
export const copyRepository = async (gitDirectory: string, target: string): Promise<void> => {
  await run('git', ['clone', '--quiet', '--bare', '--no-hardlinks', gitDirectory, target]);
  await run('chmod', ['-R', 'a+rX', target]);
};
