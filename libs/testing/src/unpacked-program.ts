import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { programFolder } from './program-folder.js';

const STEP_TIMEOUT_MS = 60_000;

/** A program and its shared libraries, if any. */
export interface FetchedProgram {
  readonly program: string;
  /** The name of its package and the version. */
  readonly version?: string;
  readonly libraries: readonly string[];
}

/** Path of a kept program: a script that starts it with its libraries. */
export const keptProgram = (folder: string, name: string): string => join(programFolder(), folder, name);

/** The kept program, if there is one. */
export const findKept = (folder: string, name: string): string | undefined => {
  const program = keptProgram(folder, name);
  try {
    accessSync(program, constants.X_OK);
    return program;
  } catch {
    return undefined;
  }
};

const START = `#!/bin/sh
here=$(dirname -- "$0")
LD_LIBRARY_PATH="$here/lib" exec "$here/program" "$@"
`;

/** Copies the program to its folder, where it appears when it is complete and runs. @returns its path. */
export async function keepProgram(
  folder: string,
  name: string,
  { program, version, libraries }: FetchedProgram,
): Promise<string> {
  await mkdir(programFolder(), { recursive: true });
  const draft = await mkdtemp(join(programFolder(), `.${folder}-`));
  try {
    await mkdir(join(draft, 'lib'));
    await copyFile(program, join(draft, 'program'));
    for (const library of libraries) await copyFile(library, join(draft, 'lib', basename(library)));
    await writeFile(join(draft, name), START);
    if (version !== undefined) await writeFile(join(draft, 'version'), `${version}\n`, { mode: 0o644 });
    for (const path of [draft, join(draft, 'lib'), join(draft, 'program'), join(draft, name)]) await chmod(path, 0o755);
    await promisify(execFile)(join(draft, name), ['--version'], { timeout: STEP_TIMEOUT_MS });
    // Programs that run keep the folder that they were started from.
    await rename(join(programFolder(), folder), `${draft}-old`).catch(() => undefined);
    await rename(draft, join(programFolder(), folder));
    await rm(`${draft}-old`, { recursive: true, force: true });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return keptProgram(folder, name);
}
