import type { Configuration, ValueSource } from './ports.js';

/** The current connection URL of an attached database. */
export interface AttachedUrl {
  readonly variable: string;
  readonly url: string;
  readonly password: string;
}

/**
 * Returns an earlier configuration for a new release: with the variables and secrets that it had, and with the databases that are
 * attached now, because their earlier passwords may be replaced. The variables of the platform belong to one release, and are left out.
 */
export function repeatedConfiguration(earlier: Configuration, attached: readonly AttachedUrl[]): Configuration {
  const urls = new Map(attached.map(({ variable, url }) => [variable, url]));
  const earlierSources = new Map(Object.entries(earlier.sources));
  const ofSource = (wanted: ValueSource | undefined) =>
    Object.entries(earlier.environment).filter(([key]) => earlierSources.get(key) === wanted);
  const secrets = ofSource('project-secret');
  const variables = ofSource(undefined);
  const environment = new Map([...secrets, ...urls, ...variables]);
  const sources = new Map<string, ValueSource>([
    ...secrets.map(([key]): [string, ValueSource] => [key, 'project-secret']),
    ...[...urls.keys()].map((key): [string, ValueSource] => [key, 'attachment']),
  ]);
  for (const [key] of variables) sources.delete(key);
  return {
    environment: Object.fromEntries(environment),
    secrets: [...new Set([...earlier.secrets, ...attached.flatMap(({ url, password }) => [url, password])])],
    sources: Object.fromEntries(sources),
    ...(earlier.files && { files: earlier.files }),
  };
}
