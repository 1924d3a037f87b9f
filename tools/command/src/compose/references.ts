import type { Variable } from './variables.js';

/** A URL in a value whose host is a service of the file. */
export interface Reference {
  readonly variable: string;
  readonly service: string;
  readonly scheme: string;
  readonly port: number | undefined;
  /** The URL is the whole value, or its beginning. */
  readonly isWhole: boolean;
}

const URL_WITH_HOST =
  /\b([a-z][a-z0-9+.:-]{0,40}):\/\/((?:[^\s/@'"]{1,500}@)?)([A-Za-z0-9._-]{1,253})(?::(\d{1,5}))?(?![\w.-])/gi;

/** The URLs in variables whose host is one of `services`. */
export const referencesIn = (
  variables: ReadonlyMap<string, Variable>,
  services: ReadonlySet<string>,
): readonly Reference[] =>
  [...variables].flatMap(([variable, { value }]) =>
    [...value.matchAll(URL_WITH_HOST)].flatMap(({ 1: scheme = '', 3: host = '', 4: port, index }) =>
      services.has(host)
        ? [
            {
              variable,
              service: host,
              scheme: scheme.toLowerCase(),
              port: port === undefined ? undefined : Number(port),
              isWhole: index === 0,
            },
          ]
        : [],
    ),
  );

/** The port of a URL over plain HTTP; undefined if it has another scheme. */
export const httpPortOf = ({ scheme, port }: Pick<Reference, 'scheme' | 'port'>): number | undefined =>
  scheme === 'http' || scheme === 'ws' ? (port ?? 80) : undefined;

export const namesDatabase = (kind: 'relational' | 'key_value', scheme: string): boolean =>
  (kind === 'relational' ? /^(?:jdbc:)?postgres(?:ql)?(?:\+\w+)?$/ : /^(?:redis|rediss|valkey)$/).test(scheme);

/** The host name of a service in its project. */
export const internalHostOf = (service: string): string =>
  `${service
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')}.internal`;

/** The value with the names that services have in their project. */
export const withInternalHosts = (value: string, ports: ReadonlyMap<string, number | undefined>): string =>
  value.replace(URL_WITH_HOST, (whole, scheme: string, user: string, host: string) => {
    const port = ports.get(host);
    return port === undefined ? whole : `${scheme}://${user}${internalHostOf(host)}:${port}`;
  });
