import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type PackageJson, packageJson } from './package-json.js';
import { readSmallFile } from './small-file.js';

const LARGE_BYTES = 64 * 2 ** 20;
const IGNORED = /^(\.|node_modules$|vendor$|venv$|__pycache__$|tests?$)/;

/** Whether the files of a folder of this name are not the project's own. */
export const isIgnoredFolder = (name: string): boolean => IGNORED.test(name);

/** What builders see of a source: its plain files. Links are not followed. */
export interface Project {
  /** The text of a plain file of moderate size. */
  read(path: string): Promise<string | undefined>;
  has(path: string): Promise<boolean>;
  /** Paths of the plain files in a folder and, down to `depth` more levels, in the folders in it. */
  files(folder: string, depth: number): Promise<readonly string[]>;
  /** @throws BuildFailed when there is one that cannot be read. */
  packageJson(): Promise<PackageJson | undefined>;
}

/** The project in a folder that nobody changes meanwhile. */
export const projectIn = (directory: string): Project => {
  const files = async (folder: string, depth: number): Promise<readonly string[]> => {
    const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
    const own = entries.filter(entry => entry.isFile()).map(({ name }) => join(folder, name));
    const folders = depth > 0 ? entries.filter(entry => entry.isDirectory() && !isIgnoredFolder(entry.name)) : [];
    const inner = await Promise.all(folders.map(({ name }) => files(join(folder, name), depth - 1)));
    return [...own, ...inner.flat()].sort();
  };
  return {
    read: path => readSmallFile(directory, path, LARGE_BYTES),
    has: path =>
      lstat(join(directory, path)).then(
        entry => entry.isFile(),
        () => false,
      ),
    files,
    packageJson: () => packageJson(directory),
  };
};

/** The first of the files that is there. */
export const firstOf = async (project: Project, paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) if (await project.has(path)) return path;
  return undefined;
};
