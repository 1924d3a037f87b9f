import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Addresses of the hosts file by name, in lower case. */
export type HostsFile = ReadonlyMap<string, readonly string[]>;

/** How short names are completed (resolv.conf(5)). */
export interface SearchRules {
  readonly suffixes: readonly string[];
  /** Names with fewer dots are completed first. */
  readonly dots: number;
}

const DEFAULT_DOTS = 1;

/** @returns nothing for a file that does not exist. */
export const readHosts = async (path: string): Promise<HostsFile> => {
  const hosts = new Map<string, string[]>();
  for (const line of await linesOf(path)) {
    const [address = '', ...names] = line.split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), address]);
    }
  }
  return hosts;
};

export const readSearchRules = async (path: string): Promise<SearchRules> => {
  let suffixes: readonly string[] = [];
  let dots = DEFAULT_DOTS;
  for (const line of await linesOf(path)) {
    const [keyword, ...values] = line.split(/\s+/);
    if (keyword === 'search' || keyword === 'domain') suffixes = values;
    const given = keyword === 'options' ? values.find(value => value.startsWith('ndots:')) : undefined;
    if (given) dots = Number(given.slice('ndots:'.length)) || 0;
  }
  return { suffixes, dots };
};

/** The names to look up for a name, in order. A name that ends with a dot is complete. */
export const candidatesOf = (name: string, { suffixes, dots }: SearchRules): readonly string[] => {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const completed = suffixes.map(suffix => `${name}.${suffix.replace(/^\.|\.$/g, '')}`);
  return name.split('.').length - 1 < dots ? [...completed, name] : [name, ...completed];
};

const linesOf = async (path: string): Promise<readonly string[]> => {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .map(line => line.replace(/[#;].*/, '').trim())
    .filter(line => line !== '');
};
