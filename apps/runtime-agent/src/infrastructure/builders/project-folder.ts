import { randomUUID } from 'node:crypto';
import { cp, lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailed } from '@postern/runtime';
import type { BuildPlan } from './build-plan.js';
import { buildPlanFor } from './builders.js';
import { dockerfileIn } from './dockerfile.js';
import type { Machine } from './machine.js';
import { nodeStart, startsNode } from './node-start.js';
import { isIgnoredFolder, projectIn } from './project.js';
import { findStart } from './start.js';
import {
  onlyWorkspaceThatStarts,
  type WorkspaceProject,
  workspacePlanFor,
  workspaceProjectAt,
} from './workspace-plan.js';

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
    `nothing in the root folder of the repository starts this service, and several folders hold a project (${found.slice(0, 5).join(', ')}): set root_directory to one of them, such as ${found[0]}`,
  );
};

/** What the owner of the service has set. Without a root directory, the commands run in the root folder. */
export interface GivenSettings {
  readonly rootDirectory?: string | undefined;
  readonly buildCommand?: string | undefined;
  readonly hasStartCommand: boolean;
  /** Whether the project is built from a Dockerfile in any case. */
  readonly hasDockerfile?: boolean;
}

/** Where the project is, in a directory whose root folder may have become the folder of the project. */
export interface ProjectPlace {
  /** The former folder of what is the root folder now; the rest of the repository is gone. */
  readonly entered?: string;
  /** Its packages belong to the root folder, which is kept. */
  readonly workspace?: WorkspaceProject;
}

/**
 * Finds the project and makes its folder the root folder, unless it needs the rest of the repository.
 * @throws BuildFailed if the repository does not have the root directory, or if it cannot be determined.
 */
export const enterProjectFolder = async (
  directory: string,
  machine: Machine,
  given: GivenSettings,
  log: (line: string) => void,
): Promise<ProjectPlace> => {
  if (given.rootDirectory !== undefined) return enterRootDirectory(directory, given.rootDirectory, given, log);
  if (given.hasDockerfile || given.buildCommand !== undefined || given.hasStartCommand) return {};
  const only = await onlyWorkspaceIn(directory);
  if (only) {
    log(`${only.folder} is the only workspace with a start script: it is built and started`);
    return { workspace: only };
  }
  const folder = await projectFolder(directory, machine);
  if (folder === undefined) return {};
  log(`${folder} holds the only project of the repository: it is built and started in ${folder}`);
  await makeRoot(directory, folder);
  return { entered: folder };
};

const enterRootDirectory = async (
  directory: string,
  folder: string,
  given: GivenSettings,
  log: (line: string) => void,
): Promise<ProjectPlace> => {
  await requireFolder(directory, folder);
  const hasDockerfile = given.hasDockerfile || (await dockerfileIn(join(directory, folder))) !== undefined;
  const workspace = hasDockerfile ? undefined : await workspaceProjectAt(projectIn(directory), folder);
  if (workspace) return { workspace };
  log(`root_directory: ${folder} is built and started, without the rest of the repository`);
  await makeRoot(directory, folder);
  return { entered: folder };
};

/** No part of the path may be a link, which could lead out of the repository. */
const requireFolder = async (directory: string, folder: string): Promise<void> => {
  const parts = folder.split('/');
  for (const [place] of parts.entries()) {
    const path = parts.slice(0, place + 1).join('/');
    const entry = await lstat(join(directory, path)).catch(() => undefined);
    if (entry?.isDirectory()) continue;
    throw new BuildFailed(
      entry === undefined
        ? `root_directory: the repository has no folder ${path} in this commit`
        : `root_directory: ${path} is a ${entry.isSymbolicLink() ? 'link' : 'file'}, not a folder`,
    );
  }
};

/** The workspace that is started if the root folder has neither a start nor a Dockerfile. */
const onlyWorkspaceIn = async (directory: string): Promise<WorkspaceProject | undefined> => {
  const root = projectIn(directory);
  const manifest = await root.packageJson().catch(() => undefined);
  if (!manifest || nodeStart(manifest).rule !== undefined || (await startsNode(root, manifest))) return undefined;
  if ((await dockerfileIn(directory)) || (await findStart(directory))) return undefined;
  const folder = await onlyWorkspaceThatStarts(root);
  return folder === undefined ? undefined : workspaceProjectAt(root, folder);
};

/** The plan of the project; its commands run in `place`. */
export const planFor = async (directory: string, { workspace }: ProjectPlace, machine: Machine): Promise<BuildPlan> =>
  workspace ? workspacePlanFor(workspace, machine) : buildPlanFor(projectIn(directory), machine);

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
