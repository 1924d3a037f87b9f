import type { PinnedRemote } from '../../infrastructure/git/pinned-remotes.js';
import type { BuildObjectSettings } from './build-settings.js';
import {
  accessMounts,
  accessVolumes,
  gitFiles,
  gitVariables,
  PLAN,
  prepareAccess,
  printHostKeys,
  requirePinning,
} from './git-pod.js';
import type { Manifest } from './kinds.js';
import { LABEL, sourceName } from './names.js';
import { named } from './service-objects.js';

export const LISTER = 'list';

/** Deadline of the whole Job, including pulling the image. */
export const SOURCE_DEADLINE_SECONDS = 120;
const KEPT_SECONDS = 60;
const USER = 1000;

/** Each line of `refs` becomes one argument. */
const list = (remote: PinnedRemote) => `set -euf
${requirePinning(remote)}${prepareAccess(remote)}IFS='
'
git ls-remote --symref -- "$URL" $REFS
${printHostKeys(remote)}`;

/** The inputs of the Job; deleted with it. */
export const sourceSecret = (id: string, remote: PinnedRemote, refs: readonly string[]): Manifest => {
  const files: Record<string, string> = { ...gitFiles(remote), refs: refs.join('\n'), 'list.sh': list(remote) };
  return {
    ...named('Secret', sourceName(id), { [LABEL.source]: id }),
    type: 'Opaque',
    immutable: true,
    data: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')])),
  };
};

/** Lists the branches of a repository, as the output of its only container. */
export const sourceJob = (id: string, remote: PinnedRemote, settings: BuildObjectSettings): Manifest => {
  const object = named('Job', sourceName(id), { [LABEL.source]: id });
  return {
    ...object,
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: SOURCE_DEADLINE_SECONDS,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: { metadata: { labels: object.metadata.labels }, spec: podSpec(sourceName(id), remote, settings) },
    },
  };
};

const podSpec = (secretName: string, remote: PinnedRemote, settings: BuildObjectSettings) => ({
  restartPolicy: 'Never',
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: { runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER },
  ...(Object.keys(settings.nodeSelector).length > 0 && { nodeSelector: settings.nodeSelector }),
  containers: [
    {
      name: LISTER,
      image: settings.builderImage,
      command: ['/bin/sh', `${PLAN}/list.sh`],
      env: [
        ...gitVariables(secretName, remote, settings.allowFileRepositories),
        { name: 'REFS', valueFrom: { secretKeyRef: { name: secretName, key: 'refs' } } },
      ],
      terminationMessagePolicy: 'FallbackToLogsOnError',
      resources: {
        requests: { cpu: '50m', memory: '64Mi' },
        limits: { cpu: '500m', memory: '256Mi', 'ephemeral-storage': '64Mi' },
      },
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumeMounts: [{ name: 'plan', mountPath: PLAN, readOnly: true }, ...accessMounts(remote)],
    },
  ],
  volumes: [
    { name: 'plan', secret: { secretName, items: ['list.sh', 'gitconfig'].map(key => ({ key, path: key })) } },
    ...accessVolumes(secretName, remote),
  ],
});
