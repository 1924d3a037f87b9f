import { randomUUID } from 'node:crypto';
import { cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailed } from '@postern/runtime';
import { buildPlanFor } from './builders.js';
import type { Machine } from './machine.js';
import { isIgnoredFolder, projectIn } from './project.js';
import { findStart } from './start.js';

/**
 * The folder that contains the project, if the root folder of the repository contains none; undefined for the root
 * folder.
 * @throws BuildFailed if several folders contain a project.
 */
export const projectFolder = async (directory: string, machine: Machine): Promise<string | undefined> => {
  if ((await isProject(directory, machine)) || (await findStart(directory))) return undefined;
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter(entry => entry.isDirectory() && !isIgnoredFolder(entry.name)).map(({ name }) => name);
  const found: string[] = [];
  for (const name of names.sort()) if (await isProject(join(directory, name), machine)) found.push(name);
  if (found.length <= 1) return found[0];
  throw new BuildFailed(
    `nothing in the root folder of the repository starts this service, and several folders hold a project (${found.slice(0, 5).join(', ')}): give it a build command and a start command that begin with cd ${found[0]} &&`,
  );
};

/** Commands that the owner of the service has set. They run in the root folder. */
export interface GivenCommands {
  readonly buildCommand?: string | undefined;
  readonly hasStartCommand: boolean;
}

/** Makes the project folder the root folder, unless the owner has set a command. @returns the folder. */
export const enterProjectFolder = async (
  directory: string,
  machine: Machine,
  { buildCommand, hasStartCommand }: GivenCommands,
  log: (line: string) => void,
): Promise<string | undefined> => {
  if (buildCommand !== undefined || hasStartCommand) return undefined;
  const folder = await projectFolder(directory, machine);
  if (folder === undefined) return undefined;
  log(`${folder} holds the only project of the repository: it is built and started in ${folder}`);
  await makeRoot(directory, folder);
  return folder;
};

/** Replaces the content of the directory by the content of a folder in it. No other process changes them meanwhile. */
export const makeRoot = async (directory: string, folder: string): Promise<void> => {
  const aside = join(directory, `.${randomUUID()}`);
  await move(join(directory, folder), aside);
  for (const name of await readdir(directory))
    if (join(directory, name) !== aside) await rm(join(directory, name), { recursive: true, force: true });
  for (const name of await readdir(aside)) await move(join(aside, name), join(directory, name));
  await rm(aside, { recursive: true, force: true });
};

const isProject = async (directory: string, machine: Machine): Promise<boolean> => {
  try {
    return (await buildPlanFor(projectIn(directory), machine)).rules.length > 0;
  } catch (error) {
    // A builder has detected the project, and reports why it cannot be built.
    if (error instanceof BuildFailed) return true;
    throw error;
  }
};

/** Some overlay file systems cannot rename folders of an image's lower layers. */
const move = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await rm(from, { recursive: true, force: true });
  }
};
