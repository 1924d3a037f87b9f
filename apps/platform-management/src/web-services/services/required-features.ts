import { Refusal } from '@postern/contracts';
import type { Runtime, RuntimeFeature } from '@postern/runtime';
import type { Settings } from './aggregate/events.js';

/** Settings that not every runtime supports, with the feature that they require. */
const FEATURES = {
  instance: 'instance',
  drain_seconds: 'drainSeconds',
  release_command: 'releaseCommand',
  processes: 'processes',
  disk: 'disk',
  health_check: 'healthCheck',
  first_byte_timeout_seconds: 'firstByteTimeout',
  autoscaling: 'autoscaling',
  image: 'images',
  dockerfile_path: 'dockerfileOptions',
  docker_target: 'dockerfileOptions',
  build_args: 'dockerfileOptions',
} as const satisfies Partial<Record<keyof Settings, RuntimeFeature>>;

const DOCKERFILE =
  'this installation does not support it. On one machine, its operator must install Buildah or Podman and start Postern as ' +
  'root; in Kubernetes, only the last stage of the file Dockerfile is built, without arguments';

const REASONS: Partial<Record<keyof typeof FEATURES, string>> = {
  image:
    'this installation does not run images of a registry. On one machine, its operator must install Buildah or Podman ' +
    'and start Postern as root; Kubernetes is not supported. Deploy a repository with git_repository_url',
  dockerfile_path: DOCKERFILE,
  docker_target: DOCKERFILE,
  build_args: DOCKERFILE,
};

/** Fields of `autoscaling` that need `requestScaling`. */
const REQUEST_TARGETS = ['requests_per_second', 'idle_minutes'] as const;

/** Refuses settings that the runtime does not support, with `invalid_input`. */
export async function requireFeatures(runtime: Runtime, settings: Partial<Settings>): Promise<void> {
  const wanted = (Object.keys(FEATURES) as (keyof typeof FEATURES)[]).filter(name => isSet(settings[name]));
  if (wanted.length === 0) return;
  const features = await runtime.features();
  const missing = wanted.find(name => !features.has(FEATURES[name]));
  if (missing)
    throw new Refusal('invalid_input', `${missing}: ${REASONS[missing] ?? 'this installation does not support it'}`);
  const target = REQUEST_TARGETS.find(name => isSet(settings.autoscaling?.[name]));
  if (target && !features.has('requestScaling'))
    throw new Refusal(
      'invalid_input',
      `autoscaling.${target}: this installation does not count requests, because Kubernetes runs the instances. Use ` +
        'cpu_percent or memory_percent',
    );
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0);

export const withoutAbsent = (changes: { [Name in keyof Settings]?: Settings[Name] | undefined }): Partial<Settings> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
