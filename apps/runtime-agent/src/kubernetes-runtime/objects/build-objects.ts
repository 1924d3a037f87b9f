import type { BuildOrder } from '@postern/runtime';
import { DESCRIBE_COMMIT } from '../../infrastructure/git/commit-description.js';
import type { PinnedRemote } from '../../infrastructure/git/pinned-remotes.js';
import type { BuiltImage } from './artefact-references.js';
import { buildPod } from './build-pod.js';
import { AUTHORITIES, type BuildObjectSettings, type ImagePrograms, USER, variablesOf } from './build-settings.js';
import { gitFiles, prepareAccess, requirePinning } from './git-pod.js';
import type { Manifest } from './kinds.js';
import { buildName, LABEL } from './names.js';
import { named } from './service-objects.js';

const KEPT_SECONDS = 24 * 3_600;

/** Older servers serve only whole branches, or do not support shallow fetches. */
const fetchScript = (remote: PinnedRemote) => `set -eu
${requirePinning(remote)}${prepareAccess(remote)}cd "$SOURCE"
git init --quiet --template= --object-format="$FORMAT" --initial-branch=fetched .
fetch() { git fetch --quiet --no-tags --no-recurse-submodules --no-write-fetch-head "$@"; }
fetch --depth=1 -- "$URL" "$COMMIT" || fetch -- "$URL" '+refs/heads/*:refs/fetched/*'
git -c advice.detachedHead=false checkout --quiet --detach "$COMMIT"
git ${DESCRIBE_COMMIT.join(' ').replace('--format=%an%n%s', "'--format=%an%n%s'")} > "$MESSAGE" || true
rm -rf .git
`;

/** Mounts keep the owner's variables and caches of package managers out of the layers and the history of the image. */
const dockerfile = ({ build }: ImagePrograms) => `ARG BASE
FROM \${BASE}
WORKDIR /app
COPY . /app
RUN --mount=type=bind,from=plan,target=/plan --mount=type=secret,id=environment,target=/run/secrets/environment --mount=type=cache,target=/cache node /plan/${build.name}
USER ${USER}:${USER}
`;

/** Parses the termination messages of the builder and of the pusher. Code of the build may have written the former. */
export const builtImage = (built: string, pushed: string, repository: string): BuiltImage => {
  if (!/^sha256:[0-9a-f]{64}$/.test(pushed)) throw new Error(`the pushed image has no digest: ${pushed.slice(0, 200)}`);
  return { image: `${repository}@${pushed}`, isByDockerfile: built.trim() === 'dockerfile' };
};

/** All inputs of a build; deleted with it. */
export const buildSecret = (
  order: BuildOrder,
  programs: ImagePrograms,
  { registryAuthorities }: BuildObjectSettings,
  remote: PinnedRemote,
): Manifest => {
  const { deploymentId, webServiceId, rootDirectory, buildCommand, startCommand, environment } = order;
  const { build, staticServer, push } = programs;
  const files: Record<string, string> = {
    ...gitFiles(remote),
    'environment.json': JSON.stringify(environment),
    ...Object.fromEntries(variablesOf(order).map(({ key, value }) => [key, value])),
    'fetch.sh': fetchScript(remote),
    Dockerfile: dockerfile(programs),
    'order.json': JSON.stringify({ rootDirectory, buildCommand, hasStartCommand: startCommand !== undefined }),
    ...Object.fromEntries([build, staticServer, push].map(({ name, text }) => [name, text])),
    ...(registryAuthorities !== undefined && { [AUTHORITIES]: registryAuthorities }),
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

/** Fetches the commit, builds, and pushes; the messages of the last two containers are for {@link builtImage}. */
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
        spec: buildPod(order, programs, settings, remote),
      },
    },
  };
};
