import type { BuildOrder } from '@postern/runtime';
import { z } from 'zod';
import type { PinnedRemote } from '../../infrastructure/git/pinned-remotes.js';
import type { BuiltImage } from './artefact-references.js';
import { accessMounts, accessVolumes, gitFiles, gitVariables, PLAN, prepareAccess, requirePinning } from './git-pod.js';
import type { Manifest } from './kinds.js';
import { buildName, LABEL } from './names.js';
import { named } from './service-objects.js';

export interface BuildObjectSettings {
  /** Where images go, as `registry.example.com/postern/web-services`. */
  readonly repository: string;
  readonly insecureRegistry: boolean;
  /** What images are made on; has Node.js, git is not needed. */
  readonly baseImage: string;
  /** Rootless BuildKit, which brings git along. */
  readonly builderImage: string;
  /** A Secret of the type kubernetes.io/dockerconfigjson, for pushing. */
  readonly registrySecret: string | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly memoryMiB: number;
  readonly cpuMillicores: number;
  readonly diskMiB: number;
  readonly allowFileRepositories: boolean;
}

export const FETCHER = 'fetch';
export const BUILDER = 'buildkit';

const USER = 1000;
const KEPT_SECONDS = 24 * 3_600;

/** Files that run in the image, by their content. */
export interface ImagePrograms {
  readonly build: { readonly name: string; readonly text: string };
  readonly staticServer: { readonly name: string; readonly text: string };
}

/** Older servers give whole branches only, or no shallow ones. */
const fetchScript = (remote: PinnedRemote) => `set -eu
${requirePinning(remote)}${prepareAccess(remote)}cd "$SOURCE"
git init --quiet --template= --object-format="$FORMAT" --initial-branch=fetched .
fetch() { git fetch --quiet --no-tags --no-recurse-submodules --no-write-fetch-head "$@"; }
fetch --depth=1 -- "$URL" "$COMMIT" || fetch -- "$URL" '+refs/heads/*:refs/fetched/*'
git -c advice.detachedHead=false checkout --quiet --detach "$COMMIT"
rm -rf .git
`;

/** Mounts keep the owner's variables and what package managers cache out of the layers and the history of the image. */
const dockerfile = ({ build }: ImagePrograms) => `ARG BASE
FROM \${BASE}
WORKDIR /app
COPY . /app
RUN --mount=type=bind,from=plan,target=/plan --mount=type=secret,id=environment,target=/run/secrets/environment --mount=type=cache,target=/cache node /plan/${build.name}
USER ${USER}:${USER}
`;

/** What the log says where the Dockerfile of the source is used. */
export const DOCKERFILE_BUILDS = 'Dockerfile found: it builds the image';

/**
 * What builds the image is chosen here, because the files of the source are not known before. Links are not followed:
 * they could lead out of the source. Metadata is renamed into its place, which the file that the kubelet reads does not
 * allow.
 */
const BUILD = `set -eu
is_file() { [ -f "$SOURCE/$1" ] && [ ! -L "$SOURCE/$1" ]; }
by=
if [ -L "$SOURCE/Dockerfile" ]; then echo 'Dockerfile found: it is not used, because it is a link'
elif is_file Dockerfile && [ "$HAS_BUILD_COMMAND" = true ]; then
  echo 'Dockerfile found: it is not used, because the web service has a build command'
elif is_file Dockerfile; then by=dockerfile
fi
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
buildctl-daemonless.sh "$@" --metadata-file "$STATE/metadata.json"
{ echo "$by"; cat "$STATE/metadata.json"; } > "$MESSAGE"
`;

const metadata = z.object({ 'containerimage.digest': z.string().regex(/^sha256:[0-9a-f]{64}$/) });

/** What the message of the builder's end says. Releases before Dockerfiles wrote the metadata alone. */
export const builtImage = (message: string, repository: string): BuiltImage => {
  const [, by, json = ''] = /^(dockerfile)?\s*(.*)$/s.exec(message) ?? [];
  const { 'containerimage.digest': digest } = metadata.parse(JSON.parse(json));
  return { image: `${repository}@${digest}`, isByDockerfile: by !== undefined };
};

/** The credentials for pushing also pull. No Dockerfile may begin with the image of somebody else's web service. */
const sourcePolicy = (repository: string): string =>
  JSON.stringify({
    rules: [':*', '@*'].map(version => ({
      action: 'DENY',
      selector: { identifier: `docker-image://${repository}${version}` },
    })),
  });

const ENVIRONMENT = 'environment';

/** Each variable is a secret of its own for a Dockerfile, unless its name is that of all together. Keys have at most 253 characters. */
const variablesOf = ({ environment }: BuildOrder) =>
  Object.entries(environment)
    .filter(([name]) => name !== ENVIRONMENT)
    .map(([name, value], index) => ({ name, value, key: `variable-${index}` }));

const PLAN_FILES = ['fetch.sh', 'gitconfig', 'Dockerfile', 'order.json'];

/** All that a build is told; deleted with it. */
export const buildSecret = (order: BuildOrder, programs: ImagePrograms, remote: PinnedRemote): Manifest => {
  const { deploymentId, webServiceId, buildCommand, startCommand, environment } = order;
  const files: Record<string, string> = {
    ...gitFiles(remote),
    'environment.json': JSON.stringify(environment),
    ...Object.fromEntries(variablesOf(order).map(({ key, value }) => [key, value])),
    'fetch.sh': fetchScript(remote),
    Dockerfile: dockerfile(programs),
    'order.json': JSON.stringify({ buildCommand, hasStartCommand: startCommand !== undefined }),
    [programs.build.name]: programs.build.text,
    [programs.staticServer.name]: programs.staticServer.text,
  };
  return {
    ...named('Secret', buildName(deploymentId), {
      [LABEL.build]: deploymentId,
      [LABEL.buildsFor]: webServiceId,
    }),
    type: 'Opaque',
    immutable: true,
    data: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')])),
  };
};

/** Fetches the commit, builds, pushes; the message of its end is for {@link builtImage}. */
export const buildJob = (
  order: BuildOrder,
  programs: ImagePrograms,
  settings: BuildObjectSettings,
  remote: PinnedRemote,
): Manifest => {
  const { deploymentId, webServiceId, commit, deadlineMs } = order;
  const name = buildName(deploymentId);
  const labels = { [LABEL.build]: deploymentId, 'postern.dev/builds-for': webServiceId };
  const object = named('Job', name, labels);
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { 'postern.dev/commit': commit } },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: Math.max(1, Math.ceil(deadlineMs / 1_000)),
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: {
        metadata: { labels: object.metadata.labels },
        spec: podSpec(order, programs, settings, remote),
      },
    },
  };
};

const podSpec = (order: BuildOrder, programs: ImagePrograms, settings: BuildObjectSettings, remote: PinnedRemote) => {
  const { memoryMiB, cpuMillicores, diskMiB, registrySecret, nodeSelector, builderImage } = settings;
  const resources = {
    requests: { cpu: `${Math.ceil(cpuMillicores / 4)}m`, memory: `${Math.ceil(memoryMiB / 4)}Mi` },
    limits: { cpu: `${cpuMillicores}m`, memory: `${memoryMiB}Mi`, 'ephemeral-storage': `${diskMiB}Mi` },
  };
  const planItems = [...PLAN_FILES, programs.build.name, programs.staticServer.name].map(key => ({ key, path: key }));
  const environmentItems = [
    { key: 'environment.json', path: 'environment.json' },
    ...variablesOf(order).map(({ key }) => ({ key, path: key })),
  ];
  const secretName = buildName(order.deploymentId);
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER },
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    initContainers: [
      {
        name: FETCHER,
        image: builderImage,
        command: ['/bin/sh', `${PLAN}/fetch.sh`],
        env: [
          ...gitVariables(secretName, remote, settings.allowFileRepositories),
          { name: 'COMMIT', value: order.commit },
          { name: 'FORMAT', value: order.commit.length === 64 ? 'sha256' : 'sha1' },
          { name: 'SOURCE', value: '/source' },
        ],
        terminationMessagePolicy: 'FallbackToLogsOnError',
        resources,
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        volumeMounts: [
          { name: 'source', mountPath: '/source' },
          { name: 'plan', mountPath: '/plan', readOnly: true },
          ...accessMounts(remote),
        ],
      },
    ],
    containers: [
      {
        name: BUILDER,
        image: builderImage,
        command: ['/bin/sh', '-c', BUILD, 'build'],
        args: buildArguments(order, settings),
        env: [
          { name: 'BUILDKITD_FLAGS', value: '--oci-worker-no-process-sandbox' },
          { name: 'SOURCE', value: '/source' },
          { name: 'PLAN', value: PLAN },
          { name: 'STATE', value: '/tmp/postern' },
          { name: 'MESSAGE', value: '/dev/termination-log' },
          { name: 'BASE', value: settings.baseImage },
          { name: 'HAS_BUILD_COMMAND', value: String(order.buildCommand !== undefined) },
          { name: 'SOURCE_POLICY', value: sourcePolicy(settings.repository) },
        ],
        resources,
        // Rootless BuildKit makes user namespaces and mounts of its own, which the usual profiles refuse.
        securityContext: {
          seccompProfile: { type: 'Unconfined' },
          appArmorProfile: { type: 'Unconfined' },
        },
        volumeMounts: [
          { name: 'source', mountPath: '/source', readOnly: true },
          { name: 'plan', mountPath: '/plan', readOnly: true },
          { name: 'environment', mountPath: '/environment', readOnly: true },
          { name: 'work', mountPath: '/home/user/.local/share/buildkit' },
          ...(registrySecret ? [{ name: 'registry', mountPath: '/home/user/.docker', readOnly: true }] : []),
        ],
      },
    ],
    volumes: [
      { name: 'source', emptyDir: { sizeLimit: `${diskMiB}Mi` } },
      { name: 'work', emptyDir: { sizeLimit: `${diskMiB}Mi` } },
      { name: 'plan', secret: { secretName, items: planItems } },
      ...accessVolumes(secretName, remote),
      { name: 'environment', secret: { secretName, items: environmentItems } },
      ...(registrySecret
        ? [
            {
              name: 'registry',
              secret: { secretName: registrySecret, items: [{ key: '.dockerconfigjson', path: 'config.json' }] },
            },
          ]
        : []),
    ],
  };
};

/** What does not depend on the source. */
const buildArguments = (order: BuildOrder, settings: BuildObjectSettings): string[] => {
  const image = `type=image,name=${settings.repository}:${order.deploymentId},push=true`;
  return [
    'build',
    '--progress=rawjson',
    '--frontend=dockerfile.v0',
    '--local=context=/source',
    `--secret=id=${ENVIRONMENT},src=/environment/environment.json`,
    ...variablesOf(order).map(({ name, key }) => `--secret=id=${name},src=/environment/${key}`),
    `--output=${image}${settings.insecureRegistry ? ',registry.insecure=true' : ''}`,
  ];
};
