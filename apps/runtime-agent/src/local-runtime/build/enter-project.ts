import { BuildFailed, type BuildOrder } from '@postern/runtime';
import type { Machine } from '../../infrastructure/builders/machine.js';
import { enterProjectFolder, type ProjectPlace } from '../../infrastructure/builders/project-folder.js';
import { findStrayLink } from '../source/links.js';

/**
 * Finds the project in a source. A folder that was entered must not lead to the rest of the repository, which is gone.
 * @throws BuildFailed
 */
export const enterProject = async (
  directory: string,
  machine: Machine,
  { buildCommand, startCommand, rootDirectory, dockerfile }: BuildOrder,
  log: (line: string) => void,
): Promise<ProjectPlace> => {
  const hasDockerfile = dockerfile !== undefined;
  const given = { rootDirectory, buildCommand, hasStartCommand: startCommand !== undefined, hasDockerfile };
  const at = await enterProjectFolder(directory, machine, given, log);
  const stray = at.entered === undefined ? undefined : await findStrayLink(directory);
  if (stray !== undefined)
    throw new BuildFailed(`the link ${stray} points outside ${at.entered}, the folder of the project`);
  return at;
};
