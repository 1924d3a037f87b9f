import { Refusal } from '@postern/contracts/refusal';
import type { Settings } from '../aggregate/events.js';

/** Settings of a repository and its build, with the value that means none. */
const BUILD_SETTINGS = {
  branch: null,
  build_command: null,
  root_directory: null,
  watch_paths: [],
  dockerfile_path: null,
  docker_target: null,
  build_args: {},
  previews: false,
} as const;

const DOCKERFILE_OPTIONS = ['dockerfile_path', 'docker_target', 'build_args'] as const;

const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

type SourceSettings = Pick<Settings, 'git_repository_url' | 'image' | 'port'> & {
  readonly [Name in keyof typeof BUILD_SETTINGS]?: Settings[Name] | null | undefined;
};

/** Adds what follows from a change of the source: a repository replaces an image, and an image a repository with its build. */
export const withReplacedSource = (changes: Partial<Settings>): Partial<Settings> => {
  const { git_repository_url: repository, image } = changes;
  if (repository && image) throw invalid('image: cannot be combined with git_repository_url');
  if (image) return { git_repository_url: null, ...BUILD_SETTINGS, ...changes };
  return repository ? { image: null, ...changes } : changes;
};

/**
 * A web service has either a repository or an image. Only an image has a port of its own, and no build. A build
 * command replaces a Dockerfile.
 * @throws Refusal `invalid_input`
 */
export const requireOneSource = (settings: SourceSettings): void => {
  const { git_repository_url: repository, image, port } = settings;
  if (repository && image) throw invalid('image: cannot be combined with git_repository_url');
  if (!repository && !image) throw invalid('git_repository_url: is required, unless the web service has an image');
  if (!image && port === null) throw invalid('port: is required, unless the web service has an image');
  const option = DOCKERFILE_OPTIONS.find(name => isSet(settings[name]));
  if (!image && option && settings.build_command)
    throw invalid(`${option}: cannot be combined with build_command, which replaces the Dockerfile`);
  if (!image) return;
  const unused = (Object.keys(BUILD_SETTINGS) as (keyof typeof BUILD_SETTINGS)[]).find(name => isSet(settings[name]));
  if (unused) throw invalid(`${unused}: is only for a repository; an image is not built`);
};

const invalid = (message: string): Refusal => new Refusal('invalid_input', message);
