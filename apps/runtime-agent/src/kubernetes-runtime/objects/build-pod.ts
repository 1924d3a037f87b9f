import type { BuildOrder } from '@postern/runtime';
import {
  DOCKERFILE_BUILDS,
  DOCKERFILE_IS_LINK,
  DOCKERFILE_IS_REPLACED,
} from '../../infrastructure/builders/dockerfile.js';
import type { PinnedRemote } from '../../infrastructure/git/pinned-remotes.js';
import {
  AUTHORITIES,
  type BuildObjectSettings,
  ENVIRONMENT,
  type ImagePrograms,
  PLAN_FILES,
  USER,
  variablesOf,
} from './build-settings.js';
import { accessMounts, accessVolumes, gitVariables, PLAN } from './git-pod.js';
import { buildName, imageTag } from './names.js';
import { literally } from './shell-command.js';

export const FETCHER = 'fetch';
export const BUILDER = 'buildkit';
export const PUSHER = 'push';

/** Where the builder writes the image, and the pusher reads it. */
const ARCHIVE_FOLDER = '/archive';
const ARCHIVE = `${ARCHIVE_FOLDER}/image.tar`;
const PUSH = '/push';
const REGISTRY = '/registry';
const CREDENTIALS = 'config.json';

/**
 * Selects the builder in the pod, because the files are unknown before. Links are not followed, because they could
 * lead out of the source.
 */
const BUILD = `set -eu
CONTEXT=$SOURCE
# Without a Dockerfile in it, the build enters the root directory, which it may need the rest of the repository for.
if [ -n "$ROOT_DIRECTORY" ] && [ "$(cd "$SOURCE/$ROOT_DIRECTORY" 2>/dev/null && pwd -P)" = "$(cd "$SOURCE" && pwd -P)/$ROOT_DIRECTORY" ]; then
  SOURCE=$SOURCE/$ROOT_DIRECTORY
fi
is_file() { [ -f "$SOURCE/$1" ] && [ ! -L "$SOURCE/$1" ]; }
by=
if [ -L "$SOURCE/Dockerfile" ]; then echo '${DOCKERFILE_IS_LINK}'
elif is_file Dockerfile && [ "$HAS_BUILD_COMMAND" = true ]; then
  echo '${DOCKERFILE_IS_REPLACED}'
elif is_file Dockerfile; then by=dockerfile; CONTEXT=$SOURCE
fi
set -- "$@" "--local=context=$CONTEXT"
mkdir -p "$STATE"
if [ "$by" = dockerfile ]; then
  if is_file .gitmodules; then echo '.gitmodules found: the submodules are not fetched'; fi
  if is_file .gitattributes && grep -q 'filter=lfs' "$SOURCE/.gitattributes"; then
    echo '.gitattributes found: files of Git LFS are not fetched and stay pointers'
  fi
  echo '${DOCKERFILE_BUILDS}'
  printf '%s' "$SOURCE_POLICY" > "$STATE/source-policy.json"
  set -- "$@" "--local=dockerfile=$SOURCE" "--source-policy-file=$STATE/source-policy.json"
else
  set -- "$@" "--local=dockerfile=$PLAN" --opt=context:plan=local:plan "--local=plan=$PLAN" "--opt=build-arg:BASE=$BASE"
fi
buildctl-daemonless.sh "$@"
echo "$by" > "$MESSAGE"
`;

/** A registry may allow everybody to pull. No Dockerfile may use the image of another web service as its base image. */
const sourcePolicy = (repository: string): string =>
  JSON.stringify({
    rules: [':*', '@*'].map(version => ({
      action: 'DENY',
      selector: { identifier: `docker-image://${repository}${version}` },
    })),
  });

/**
 * Code of the build runs in the builder only. The container with the registry credentials starts after the builder
 * has ended, and gets only the archive.
 */
export const buildPod = (
  order: BuildOrder,
  programs: ImagePrograms,
  settings: BuildObjectSettings,
  remote: PinnedRemote,
) => {
  const { nodeSelector, registrySecret, basePullSecret } = settings;
  // For the kubelet, which pulls the container images.
  const pullSecrets = [registrySecret, basePullSecret].filter(name => name !== undefined);
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER },
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map(name => ({ name })) }),
    initContainers: [fetcher(order, settings, remote), builder(order, settings)],
    containers: [pusher(order, programs, settings)],
    volumes: volumesOf(order, programs, settings, remote),
  };
};

const resourcesOf = ({ memoryMiB, cpuMillicores, diskMiB }: BuildObjectSettings) => ({
  requests: { cpu: `${Math.ceil(cpuMillicores / 4)}m`, memory: `${Math.ceil(memoryMiB / 4)}Mi` },
  limits: { cpu: `${cpuMillicores}m`, memory: `${memoryMiB}Mi`, 'ephemeral-storage': `${diskMiB}Mi` },
});

const fetcher = (order: BuildOrder, settings: BuildObjectSettings, remote: PinnedRemote) => ({
  name: FETCHER,
  image: settings.builderImage,
  command: ['/bin/sh', `${PLAN}/fetch.sh`],
  env: [
    ...gitVariables(buildName(order.deploymentId), remote, settings.allowFileRepositories),
    { name: 'COMMIT', value: order.commit },
    { name: 'FORMAT', value: order.commit.length === 64 ? 'sha256' : 'sha1' },
    { name: 'SOURCE', value: '/source' },
    { name: 'MESSAGE', value: '/dev/termination-log' },
  ],
  terminationMessagePolicy: 'FallbackToLogsOnError',
  resources: resourcesOf(settings),
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  volumeMounts: [
    { name: 'source', mountPath: '/source' },
    { name: 'plan', mountPath: PLAN, readOnly: true },
    ...accessMounts(remote),
  ],
});

const builder = (order: BuildOrder, settings: BuildObjectSettings) => ({
  name: BUILDER,
  image: settings.builderImage,
  command: ['/bin/sh', '-c', literally(BUILD), 'build'],
  args: buildArguments(order),
  env: [
    { name: 'BUILDKITD_FLAGS', value: '--oci-worker-no-process-sandbox' },
    { name: 'SOURCE', value: '/source' },
    { name: 'PLAN', value: PLAN },
    { name: 'STATE', value: '/tmp/postern' },
    { name: 'MESSAGE', value: '/dev/termination-log' },
    { name: 'BASE', value: settings.baseImage },
    { name: 'ROOT_DIRECTORY', value: literally(order.rootDirectory ?? '') },
    { name: 'HAS_BUILD_COMMAND', value: String(order.buildCommand !== undefined) },
    { name: 'SOURCE_POLICY', value: sourcePolicy(settings.repository) },
  ],
  resources: resourcesOf(settings),
  // Rootless BuildKit creates user namespaces and mounts, which the default profiles deny.
  securityContext: {
    seccompProfile: { type: 'Unconfined' },
    appArmorProfile: { type: 'Unconfined' },
  },
  volumeMounts: [
    { name: 'source', mountPath: '/source', readOnly: true },
    { name: 'plan', mountPath: PLAN, readOnly: true },
    { name: 'environment', mountPath: '/environment', readOnly: true },
    { name: 'work', mountPath: '/home/user/.local/share/buildkit' },
    { name: 'archive', mountPath: ARCHIVE_FOLDER },
    ...(settings.basePullSecret ? [{ name: 'pull', mountPath: '/home/user/.docker', readOnly: true }] : []),
  ],
});

const pusher = (order: BuildOrder, { push }: ImagePrograms, settings: BuildObjectSettings) => {
  const { repository, insecureRegistry, registrySecret, registryAuthorities, baseImage } = settings;
  return {
    name: PUSHER,
    image: baseImage,
    command: ['node', `${PUSH}/${push.name}`],
    env: [
      { name: 'POSTERN_ARCHIVE', value: ARCHIVE },
      { name: 'POSTERN_REPOSITORY', value: repository },
      { name: 'POSTERN_TAG', value: imageTag(order.webServiceId, order.deploymentId) },
      { name: 'POSTERN_MESSAGE', value: '/dev/termination-log' },
      { name: 'POSTERN_INSECURE', value: String(insecureRegistry) },
      ...(registrySecret ? [{ name: 'POSTERN_CREDENTIALS', value: `${REGISTRY}/${CREDENTIALS}` }] : []),
      ...(registryAuthorities ? [{ name: 'NODE_EXTRA_CA_CERTS', value: `${PUSH}/${AUTHORITIES}` }] : []),
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    resources: {
      requests: { cpu: '50m', memory: '64Mi' },
      limits: { cpu: '1', memory: '256Mi', 'ephemeral-storage': '64Mi' },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [
      { name: 'archive', mountPath: ARCHIVE_FOLDER, readOnly: true },
      { name: 'push', mountPath: PUSH, readOnly: true },
      ...(registrySecret ? [{ name: 'registry', mountPath: REGISTRY, readOnly: true }] : []),
    ],
  };
};

const volumesOf = (
  order: BuildOrder,
  { build, staticServer, push }: ImagePrograms,
  { diskMiB, registrySecret, basePullSecret, registryAuthorities }: BuildObjectSettings,
  remote: PinnedRemote,
) => {
  const secretName = buildName(order.deploymentId);
  const ownFiles = (name: string, keys: readonly string[]) => ({
    name,
    secret: { secretName, items: keys.map(key => ({ key, path: key })) },
  });
  const folder = (name: string) => ({ name, emptyDir: { sizeLimit: `${diskMiB}Mi` } });
  return [
    folder('source'),
    folder('work'),
    folder('archive'),
    ownFiles('plan', [...PLAN_FILES, build.name, staticServer.name]),
    ...accessVolumes(secretName, remote),
    ownFiles('environment', ['environment.json', ...variablesOf(order).map(({ key }) => key)]),
    ownFiles('push', [push.name, ...(registryAuthorities ? [AUTHORITIES] : [])]),
    ...(registrySecret ? [dockerConfig('registry', registrySecret)] : []),
    ...(basePullSecret ? [dockerConfig('pull', basePullSecret)] : []),
  ];
};

const dockerConfig = (name: string, secretName: string) => ({
  name,
  secret: { secretName, items: [{ key: '.dockerconfigjson', path: CREDENTIALS }] },
});

/** Arguments that do not depend on the source. */
const buildArguments = (order: BuildOrder): string[] => [
  'build',
  '--progress=rawjson',
  '--frontend=dockerfile.v0',
  `--secret=id=${ENVIRONMENT},src=/environment/environment.json`,
  ...variablesOf(order).map(({ name, key }) => `--secret=id=${name},src=/environment/${key}`),
  `--output=type=oci,dest=${ARCHIVE}`,
];
