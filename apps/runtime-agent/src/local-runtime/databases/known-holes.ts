import type { DatabaseKind } from '@postern/runtime';

/** The first minor version of each major version of PostgreSQL without the holes of May 2026, such as CVE-2026-6637. */
const POSTGRES: Readonly<Record<number, number>> = { 14: 23, 15: 18, 16: 14, 17: 10, 18: 4 };
/** The first patch of each series of Valkey and Redis in which CVE-2025-49844 is closed: a script could run code in the server. */
const KEY_VALUE: Readonly<Record<string, number>> = {
  ...{ '6.2': 20, '7.2': 11, '7.4': 6, '8.0': 4, '8.1': 4, '8.2': 2 },
};
/** Valkey 8.0 has other patches than Redis 8.0. */
const VALKEY: Readonly<Record<string, number>> = { ...KEY_VALUE, '8.0': 6 };
const NEWEST_SERIES = 8.2;
/** Debian 12 closes holes in its package of Redis 7.0 without a new version. */
const DEBIAN_REDIS = { version: '7.0.15', revision: /~deb12u(\d+)$/, first: 6 };

/**
 * A warning if a server program has known holes that a tenant's statements or scripts can use.
 * @param output what the program prints with `--version`.
 * @param packageVersion the version of the package of the distribution that contains it, if any.
 */
export const knownHolesIn = (kind: DatabaseKind, output: string, packageVersion?: string): string | undefined => {
  const [, major = '', minor = '', patch = '0'] = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(output) ?? [];
  if (kind === 'relational') {
    const first = POSTGRES[Number(major)];
    const isSafe = Number(major) > 18 || (first !== undefined && Number(minor) >= first);
    const advice = first === undefined ? 'a supported major version' : `${major}.${first}`;
    return isSafe ? undefined : `PostgreSQL ${major}.${minor} has known security holes: install ${advice} or newer`;
  }
  const product = /valkey/i.test(output) ? 'Valkey' : 'Redis';
  const series = `${major}.${minor}`;
  const first = (product === 'Valkey' ? VALKEY : KEY_VALUE)[series];
  const isNewer = Number(major) > Math.floor(NEWEST_SERIES) || Number(series) > NEWEST_SERIES;
  if (isNewer || (first !== undefined && Number(patch) >= first)) return undefined;
  const { version, revision, first: repaired } = DEBIAN_REDIS;
  if (`${series}.${patch}` === version && Number(revision.exec(packageVersion ?? '')?.[1] ?? 0) >= repaired)
    return undefined;
  return `${product} ${series}.${patch} has known security holes (CVE-2025-49844): install a newer version of it or of Valkey`;
};
