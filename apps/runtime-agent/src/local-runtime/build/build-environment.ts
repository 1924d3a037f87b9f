import { join } from 'node:path';

/** By this variable every process of a build is recognised, whatever became of its parent. */
export const BUILD_MARKER = 'POSTERN_BUILD';

export interface BuildFolders {
  readonly workspace: string;
  readonly cache: string;
}

export const homeOf = (workspace: string): string => join(workspace, 'home');
export const temporaryOf = (workspace: string): string => join(workspace, 'tmp');
/** Holds the tree and, in the end, what is known of it; becomes the artefact as it is. */
export const draftOf = (workspace: string): string => join(workspace, 'artefact');

/**
 * All that a build knows of its surroundings: the host's way to its package registry, what the service's owner has set,
 * and what only the platform can say.
 */
export const buildEnvironment = (
  { workspace, cache }: BuildFolders,
  { id, path }: { readonly id: string; readonly path: string },
  registry: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): Record<string, string> => ({
  ...registry,
  PATH: path,
  LANG: 'C.UTF-8',
  CI: 'true',
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  ...variables,
  // Packages for building are devDependencies, which npm leaves out where NODE_ENV says production.
  npm_config_include: 'dev',
  npm_config_cache: join(cache, 'npm'),
  HOME: homeOf(workspace),
  TMPDIR: temporaryOf(workspace),
  [BUILD_MARKER]: id,
});
