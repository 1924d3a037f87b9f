/** Labels and annotations of our own; everything the platform owns is found by them. */
export const LABEL = {
  managedBy: 'app.kubernetes.io/managed-by',
  webService: 'postern.dev/web-service',
  roll: 'postern.dev/roll',
  build: 'postern.dev/build',
  buildsFor: 'postern.dev/builds-for',
  source: 'postern.dev/source',
  command: 'postern.dev/command',
  commandOf: 'postern.dev/command-of',
} as const;

export const ANNOTATION = {
  /** The roll that carries the traffic; another one in the template is still on its way. */
  live: 'postern.dev/live-roll',
  /** Fingerprint of what was applied. */
  applied: 'postern.dev/applied',
  name: 'postern.dev/name',
  /** How a command ended, as JSON. */
  end: 'postern.dev/end',
} as const;

export const OURS = `${LABEL.managedBy}=postern`;
export const CONTAINER = 'web';

/** DNS labels that begin with a letter, as Services have to. */
export const serviceName = (webServiceId: string): string => `ws-${webServiceId}`;
export const releaseName = (rollId: string): string => `release-${rollId}`;
export const buildName = (deploymentId: string): string => `build-${deploymentId}`;
export const commandName = (id: string): string => `command-${id}`;
export const sourceName = (id: string): string => `source-${id}`;

export const ofService = (webServiceId: string): string => `${OURS},${LABEL.webService}=${webServiceId}`;

/** Host names hold some 40 characters of a name that may contain anything. */
export const hostName = (webServiceId: string, name: string, domain: string): string => {
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  // The end of a UUID of version 7 is the random part of it.
  const short = webServiceId.replaceAll('-', '').slice(-10);
  return `${readable === '' ? 'service' : readable}-${short}.${domain}`;
};
