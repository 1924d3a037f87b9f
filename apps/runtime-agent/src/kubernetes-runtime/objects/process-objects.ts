import type { ServicePlan } from '@postern/runtime';
import type { Manifest } from './kinds.js';
import { ANNOTATION, LABEL, processName, releaseName } from './names.js';
import { fingerprinted, named, releasePodSpec, type ServiceObjectSettings } from './service-objects.js';

/** The folder in which the build creates a script for each process type of the Procfile. */
const SCRIPTS = '/postern/processes';

/** Succeeds if the image has a script for each of these types; otherwise writes the first type without one. */
export const processCheck = (types: readonly string[]): readonly string[] => [
  '/bin/sh',
  '-c',
  'for type in "$@"; do [ -f "$0/$type" ] || { echo "$type"; exit 1; }; done',
  SCRIPTS,
  ...types,
];

/** Runs processes of one type. Their pods do not have the label of instances, so they get no traffic. */
export const processDeployment = (
  plan: ServicePlan,
  [type, replicas]: readonly [string, number],
  settings: ServiceObjectSettings,
): Manifest => {
  const { webServiceId, rollId, instance: size, drainSeconds } = plan;
  const name = processName(webServiceId, type);
  const object = named('Deployment', name, { [LABEL.processOf]: webServiceId });
  const annotations = { [ANNOTATION.processType]: type };
  const secretName = releaseName(rollId);
  const command = ['/bin/sh', `${SCRIPTS}/${type}`];
  const pod = releasePodSpec({ ...plan, size, command, secretName, variables: {} }, settings);
  return fingerprinted({
    ...object,
    metadata: { ...object.metadata, annotations },
    spec: {
      replicas,
      selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      // Two releases never process the same queue at the same time.
      strategy: { type: 'Recreate' },
      revisionHistoryLimit: 1,
      template: {
        metadata: {
          labels: { ...object.metadata.labels, 'app.kubernetes.io/name': name, [LABEL.roll]: rollId },
          annotations,
        },
        spec: { ...pod, ...(drainSeconds !== undefined && { terminationGracePeriodSeconds: drainSeconds }) },
      },
    },
  });
};

/** The process types of a plan that have at least one instance. */
export const processesOf = ({ processes = {} }: ServicePlan): readonly (readonly [string, number])[] =>
  Object.entries(processes).filter(([, count]) => count > 0);
