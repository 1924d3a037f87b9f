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
  const earlierSources = earlier.sources && new Map(Object.entries(earlier.sources));
  const values = Object.entries(earlier.environment).map(([key, value]) => ({
    key,
    value,
    source: earlierSources ? earlierSources.get(key) : assumedSource(value, urls.get(key)),
  }));
  const ofSource = (wanted: ValueSource | undefined) =>
    values.filter(({ source }) => source === wanted).map(({ key, value }): [string, string] => [key, value]);
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

/** Configurations of earlier versions of the platform have no sources: a URL of the attached database is its attachment. */
const assumedSource = (value: string, attachedUrl: string | undefined): ValueSource | undefined =>
  attachedUrl !== undefined &&
  [attachedUrl, earlierUrl(attachedUrl)].map(withoutCredentials).includes(withoutCredentials(value))
    ? 'attachment'
    : undefined;

/** Attachments of earlier versions used the credentials of the owner. */
const withoutCredentials = (text: string): string => text.replace(/^([a-z]+:\/\/)[^:/@]*:[^@/]*@/, '$1');

/** The URL before databases had their own addresses. */
const earlierUrl = (url: string): string => url.replace(/@[\d.]+:/, '@127.0.0.1:');
