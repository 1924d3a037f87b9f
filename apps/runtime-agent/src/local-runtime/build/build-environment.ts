import { join } from 'node:path';
import type { SandboxFolders } from '../instances/confinement.js';

/** By this variable every process of a build is recognised, whatever became of its parent. */
export const BUILD_MARKER = 'POSTERN_BUILD';

export interface BuildFolders {
  readonly workspace: string;
  readonly cache: string;
}

/** The folders of a build as its processes find them. */
export type FoldersInside = Pick<SandboxFolders, 'home' | 'temporary'> & { readonly cache: string };

export const homeOf = (workspace: string): string => join(workspace, 'home');
export const temporaryOf = (workspace: string): string => join(workspace, 'tmp');
/** Holds the tree and, in the end, what is known of it; becomes the artefact as it is. */
export const draftOf = (workspace: string): string => join(workspace, 'artefact');

/**
 * All that a build knows of its surroundings: the host's way to its package registry, what the service's owner has set,
 * and what only the platform can say.
 */
export const buildEnvironment = (
  { home, temporary, cache }: FoldersInside,
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
  // Package managers of other ecosystems; each keeps what it has fetched for the next build.
  YARN_CACHE_FOLDER: join(cache, 'yarn'),
  npm_config_store_dir: join(cache, 'pnpm'),
  BUN_INSTALL_CACHE_DIR: join(cache, 'bun'),
  PIP_CACHE_DIR: join(cache, 'pip'),
  UV_CACHE_DIR: join(cache, 'uv'),
  GOMODCACHE: join(cache, 'go/modules'),
  GOCACHE: join(cache, 'go/build'),
  CARGO_HOME: join(cache, 'cargo'),
  COMPOSER_CACHE_DIR: join(cache, 'composer'),
  GRADLE_USER_HOME: join(cache, 'gradle'),
  MAVEN_ARGS: `-Dmaven.repo.local=${join(cache, 'maven')}`,
  HOME: home,
  TMPDIR: temporary,
  [BUILD_MARKER]: id,
});
