import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type PackageJson, packageJson } from './package-json.js';
import { readBeginning, readManifest } from './small-file.js';

const IGNORED = /^(\.|node_modules$|vendor$|venv$|__pycache__$|tests?$)/;

/** Whether folders with this name do not contain the project's own files. */
export const isIgnoredFolder = (name: string): boolean => IGNORED.test(name);

/** The view of builders on a source: its regular files. Links are not followed. */
export interface Project {
  /** The text of a file that decides how the project is built. @throws BuildFailed if it is larger than 1 MiB. */
  read(path: string): Promise<string | undefined>;
  /** The first MiB of a file that may be large: source code, lock files, and lists of the project's files. */
  readBeginning(path: string): Promise<string | undefined>;
  has(path: string): Promise<boolean>;
  /** Paths of the regular files in a folder and in its subfolders, down to `depth` more levels. */
  files(folder: string, depth: number): Promise<readonly string[]>;
  /** @throws BuildFailed if the file exists and is not valid, or is larger than 1 MiB. */
  packageJson(): Promise<PackageJson | undefined>;
}

/** The project in a folder that no other process changes meanwhile. */
export const projectIn = (directory: string): Project => {
  const files = async (folder: string, depth: number): Promise<readonly string[]> => {
    const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
    const own = entries.filter(entry => entry.isFile()).map(({ name }) => join(folder, name));
    const folders = depth > 0 ? entries.filter(entry => entry.isDirectory() && !isIgnoredFolder(entry.name)) : [];
    const inner = await Promise.all(folders.map(({ name }) => files(join(folder, name), depth - 1)));
    return [...own, ...inner.flat()].sort();
  };
  return {
    read: path => readManifest(directory, path),
    readBeginning: path => readBeginning(directory, path),
    has: path =>
      lstat(join(directory, path)).then(
        entry => entry.isFile(),
        () => false,
      ),
    files,
    packageJson: () => packageJson(directory),
  };
};

/** The first of the files that exists. */
export const firstOf = async (project: Project, paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) if (await project.has(path)) return path;
  return undefined;
};
