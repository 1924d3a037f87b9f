import { z } from 'zod';

const MAX_PATH_LENGTH = 512;
const MAX_WATCH_PATHS = 100;

/** No control characters, lone surrogates or backslashes. */
const isPlain = (path: string): boolean => !/[\p{Cc}\p{Cs}\\]/u.test(path);
const staysInside = (path: string): boolean => !path.split('/').includes('..');

/** Without empty parts, so that `./apps/web/` is `apps/web`, and `.` is empty: the root. */
const shortest = (path: string): string =>
  path
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/');

/** A path of a repository, relative to its root. */
const repositoryPath = (example: string, ifEmpty: string) =>
  z
    .string()
    .min(1, `must not be empty; ${ifEmpty}`)
    .max(MAX_PATH_LENGTH)
    .refine(path => !path.startsWith('/'), `must be relative to the root of the repository, such as ${example}`)
    .refine(staysInside, 'must not contain ..')
    .refine(path => !path.split('/').includes('.git'), 'must not be in .git')
    .refine(isPlain, 'must not contain backslashes or control characters')
    .overwrite(shortest);

export const rootDirectory = repositoryPath('apps/web', 'use null for the root of the repository');

export const dockerfilePath = repositoryPath('docker/web.Dockerfile', 'use null for the file Dockerfile').refine(
  path => path !== '',
  'must name a file, such as docker/web.Dockerfile',
);

const watchPath = z
  .string()
  .min(1)
  .max(MAX_PATH_LENGTH)
  .refine(path => shortest(path.replace(/^!/, '')) !== '', 'must name a path, such as apps/web/**')
  .refine(staysInside, 'must not contain ..')
  .refine(isPlain, 'must not contain backslashes or control characters');

/** Patterns of paths of a repository; see `isWatched` in @postern/runtime. */
export const watchPaths = z.array(watchPath).max(MAX_WATCH_PATHS);
