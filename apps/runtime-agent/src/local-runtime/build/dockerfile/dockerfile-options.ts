import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { BuildFailed, type BuildOrder, type DockerfileOptions } from '@postern/runtime';
import { DOCKERFILE, dockerfileIn } from '../../../infrastructure/builders/dockerfile.js';
import { isIgnoredFolder } from '../../../infrastructure/builders/project.js';
import { readSmallFile } from '../../../infrastructure/builders/small-file.js';

const DOCKERFILE_BYTES = 2 ** 20;
/** Maximum number of names in an error. */
const SHOWN = 10;

/** The kernel limits each argument of a command to 128 KiB. */
const INSERTED_BYTES = 65_536;

const FROM = /^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*\S+(?:[ \t]+AS[ \t]+(\S+))?[ \t]*$/gim;
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * The options with which the Dockerfile is built: `${NAME}` in a build argument is replaced by the variable.
 * @throws BuildFailed if a value refers to a variable that does not exist, or if the variables are too large.
 */
export const resolvedOptions = ({ dockerfile, environment }: BuildOrder): DockerfileOptions => {
  let inserted = 0;
  const resolve = (name: string, value: string) =>
    value.replaceAll(REFERENCE, (_, variable: string) => {
      if (!Object.hasOwn(environment, variable))
        throw new BuildFailed(
          `build_args: ${name} refers to \${${variable}}, but the web service has no variable ${variable}`,
        );
      inserted += Buffer.byteLength(environment[variable]!);
      if (inserted <= INSERTED_BYTES) return environment[variable]!;
      throw new BuildFailed(
        `build_args: the variables that the values refer to have more than ${INSERTED_BYTES} bytes in total. Use a build secret for large values`,
      );
    });
  const values = Object.entries(dockerfile?.buildArguments ?? {});
  return {
    ...dockerfile,
    buildArguments: Object.fromEntries(values.map(([name, value]) => [name, resolve(name, value)])),
  };
};

/** @throws BuildFailed if the commit does not have the Dockerfile that the settings need. */
export const requireDockerfile = async (directory: string, { path }: DockerfileOptions): Promise<void> => {
  const found = await dockerfileIn(directory, path);
  if (found === 'file') return;
  const name = path ?? DOCKERFILE;
  const setting = path === undefined ? 'docker_target and build_args need a Dockerfile' : 'dockerfile_path';
  if (found === 'link') throw new BuildFailed(`${setting}: ${name} is a symbolic link, or in a folder that is one`);
  const others = await dockerfilesIn(directory);
  const hint = others.length === 0 ? 'The folder has no Dockerfile' : `Dockerfiles that exist: ${others.join(', ')}`;
  throw new BuildFailed(`${setting}: there is no file ${name} in this commit. ${hint}`);
};

/** The error if the tool has found no such stage. */
export const stageNotFound = async (directory: string, { path = DOCKERFILE, target }: DockerfileOptions) => {
  const text = (await readSmallFile(directory, path, DOCKERFILE_BYTES)) ?? '';
  const names = [...text.matchAll(FROM)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  const hint = names.length === 0 ? 'None of its stages has a name' : `Stages that exist: ${shown(names)}`;
  return new BuildFailed(`docker_target: ${path} has no stage ${target}. ${hint}`);
};

const dockerfilesIn = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile() && /dockerfile/i.test(entry.name) && !entry.name.endsWith('.dockerignore'))
    .map(entry => relative(directory, join(entry.parentPath, entry.name)))
    .filter(path => !path.split('/').some(isIgnoredFolder))
    .sort()
    .slice(0, SHOWN);
};

const shown = (names: readonly string[]): string => names.slice(0, SHOWN).join(', ');
