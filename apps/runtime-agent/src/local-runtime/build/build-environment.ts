import { join } from 'node:path';
import { BUILD_DEFAULTS } from '../../infrastructure/builders/production.js';
import type { SandboxFolders } from '../instances/confinement.js';
import { PLATFORM_URL } from '../instances/instance-environment.js';
import { BUILD_MARKER } from '../instances/process-markers.js';

export interface BuildFolders {
  readonly workspace: string;
  readonly cache: string;
  /** Whether the kernel refuses writes above the limits of the two folders. */
  readonly isLimited: boolean;
}

/** Paths of the folders of a build inside its sandbox. */
export type FoldersInside = Pick<SandboxFolders, 'home' | 'temporary'> & { readonly cache: string };

/** Holds all files of the build but its package cache. */
export const areaOf = (workspace: string): string => join(workspace, 'area');
export const homeOf = (workspace: string): string => join(areaOf(workspace), 'home');
export const temporaryOf = (workspace: string): string => join(areaOf(workspace), 'tmp');
/** Holds the tree and, at the end, its metadata; becomes the artefact. */
export const draftOf = (workspace: string): string => join(areaOf(workspace), 'artefact');

/**
 * The environment variables of a build: the host's registry settings and defaults, overridden by the variables of the web service,
 * overridden by those that Postern must set.
 */
export const buildEnvironment = (
  { home, temporary, cache }: FoldersInside,
  { id, path, platformUrl }: { readonly id: string; readonly path: string; readonly platformUrl: string },
  registry: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): Record<string, string> => ({
  ...registry,
  PATH: path,
  ...BUILD_DEFAULTS,
  [PLATFORM_URL]: platformUrl,
  ...variables,
  // Build tools are devDependencies, which npm omits if NODE_ENV is production.
  npm_config_include: 'dev',
  npm_config_cache: join(cache, 'npm'),
  // Caches of other package managers; each keeps its downloads for the next build.
  YARN_CACHE_FOLDER: join(cache, 'yarn'),
  // With a store at $PNPM_HOME/store; npm would warn of pnpm's own setting.
  PNPM_HOME: join(cache, 'pnpm'),
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
