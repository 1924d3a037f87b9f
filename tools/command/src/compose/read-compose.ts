import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { UsageError } from '../errors.js';
import { type Conversion, convertCompose } from './conversion.js';

/** The names that Docker Compose looks for, in its order. */
const NAMES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];
const MAX_BYTES = 2 ** 20;

/** The Compose file of a folder. */
export const composeFileIn = (folder: string): string | undefined => NAMES.find(name => existsSync(join(folder, name)));

/** Whether a file is named like a Compose file, such as `compose.production.yaml`. */
export const isComposeFile = (path: string): boolean =>
  /^(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml$/.test(basename(path));

/** Reads a Compose file with its `.env`, its env files and the address of its repository. @throws UsageError */
export const readCompose = (path: string, environment: Readonly<Record<string, string | undefined>>): Conversion => {
  const folder = dirname(resolve(path));
  const values = variablesIn(join(folder, '.env')) ?? {};
  const lookup = (name: string): string | undefined =>
    environment[name] ?? (Object.hasOwn(values, name) ? values[name] : undefined);
  const top = git(folder, 'rev-parse', '--show-toplevel');
  const remote = git(folder, 'remote', 'get-url', 'origin');
  const conversion = convertCompose({
    file: path,
    text: textOf(path),
    project: basename(folder),
    repository: remote && withoutCredentials(remote),
    folder: top === undefined ? '' : relative(top, folder).replaceAll('\\', '/'),
    lookup,
    envFile: file => variablesIn(resolve(folder, file)),
  });
  const override = path.replace(/(\.ya?ml)$/, '.override$1');
  if (!existsSync(override)) return conversion;
  return { ...conversion, notes: [...conversion.notes, `${override} is not read.`] };
};

const textOf = (path: string): string => {
  try {
    if (statSync(path).size > MAX_BYTES) throw new UsageError(`${path} has more than ${MAX_BYTES} bytes.`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
};

const variablesIn = (path: string): Readonly<Record<string, string>> | undefined =>
  existsSync(path) ? (parseEnv(textOf(path)) as Record<string, string>) : undefined;

/** The output of Git; undefined without Git, repository or remote. */
const git = (folder: string, ...args: readonly string[]): string | undefined => {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return (
      execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio, timeout: 10_000 }).trim() || undefined
    );
  } catch {
    return undefined;
  }
};

/** The blueprint must not contain a token of the remote. */
const withoutCredentials = (remote: string): string => remote.replace(/^(https?:\/\/)[^/@]*@/, '$1');
