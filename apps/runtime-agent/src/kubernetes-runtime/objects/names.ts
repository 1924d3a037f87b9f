import { createHash } from 'node:crypto';
import type { KubernetesObject } from './kinds.js';

/** Labels of the platform; everything that it owns is found by them. */
export const LABEL = {
  managedBy: 'app.kubernetes.io/managed-by',
  webService: 'postern.dev/web-service',
  roll: 'postern.dev/roll',
  build: 'postern.dev/build',
  buildsFor: 'postern.dev/builds-for',
  source: 'postern.dev/source',
  command: 'postern.dev/command',
  commandOf: 'postern.dev/command-of',
  processOf: 'postern.dev/process-of',
  domainOf: 'postern.dev/domain-of',
} as const;

export const ANNOTATION = {
  /** The roll that gets the traffic; another roll in the template is still in progress. */
  live: 'postern.dev/live-roll',
  /** Fingerprint of the applied object. */
  applied: 'postern.dev/applied',
  name: 'postern.dev/name',
  /** How a command ended, as JSON. */
  end: 'postern.dev/end',
  processType: 'postern.dev/process-type',
} as const;

export const OURS = `${LABEL.managedBy}=postern`;
export const CONTAINER = 'web';

/** DNS labels that begin with a letter, as Kubernetes requires for Services. */
export const serviceName = (webServiceId: string): string => `ws-${webServiceId}`;
export const releaseName = (rollId: string): string => `release-${rollId}`;
export const buildName = (deploymentId: string): string => `build-${deploymentId}`;
export const imageTag = (webServiceId: string, deploymentId: string): string => `${webServiceId}.${deploymentId}`;
export const webServiceOfTag = (tag: string): string | undefined => /^(.+)\./.exec(tag)?.[1];
export const deploymentOfTag = (tag: string): string => tag.slice(tag.indexOf('.') + 1);
export const diskName = (webServiceId: string): string => `disk-${webServiceId}`;
export const commandName = (id: string): string => `command-${id}`;
export const sourceName = (id: string): string => `source-${id}`;

/** A process type may contain characters that are not valid in a name. */
export const processName = (webServiceId: string, type: string): string =>
  `process-${webServiceId}-${createHash('sha256').update(type).digest('hex').slice(0, 8)}`;

/** A domain may be longer than the maximum length of object names. */
export const domainName = (domain: string): string =>
  `domain-${createHash('sha256').update(domain).digest('hex').slice(0, 16)}`;

export const ofService = (webServiceId: string): string => `${OURS},${LABEL.webService}=${webServiceId}`;

/** Host names contain up to 40 characters of the name of the web service, which may contain any characters. */
export const hostName = (webServiceId: string, name: string, domain: string): string => {
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  // The last digits of a UUID of version 7 are random.
  const short = webServiceId.replaceAll('-', '').slice(-10);
  return `${readable === '' ? 'service' : readable}-${short}.${domain}`;
};

/** The name of an instance in logs: the name of its pod, or `<type>-<last part of that name>` for other processes. */
export const instanceOf = ({ metadata }: KubernetesObject): string => {
  const type = metadata.annotations?.[ANNOTATION.processType];
  return type === undefined ? metadata.name : `${type}-${metadata.name.slice(metadata.name.lastIndexOf('-') + 1)}`;
};
