import { describe, expect, it } from '@jest/globals';
import { knownHolesIn } from './known-holes.js';

const REDIS = (version: string) => `Redis server v=${version} sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d`;
const VALKEY = (version: string) => `Valkey server v=${version} sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=a`;
const POSTGRES = (version: string) => `postgres (PostgreSQL) ${version} (Debian ${version}-0+deb12u1)`;

describe('a server program', () => {
  it.each([
    ['relational', POSTGRES('15.18'), undefined],
    ['relational', POSTGRES('18.4'), undefined],
    ['relational', POSTGRES('19.0'), undefined],
    ['key_value', VALKEY('8.1.4'), undefined],
    ['key_value', VALKEY('9.1.2'), undefined],
    ['key_value', REDIS('7.2.11'), undefined],
    ['key_value', REDIS('8.6.3'), undefined],
    ['key_value', REDIS('7.0.15'), '5:7.0.15-1~deb12u10'],
  ] as const)('of kind %s is accepted as %s of the package %s', (kind, output, packageVersion) =>
    expect(knownHolesIn(kind, output, packageVersion)).toBeUndefined(),
  );

  it.each([
    ['relational', POSTGRES('15.17'), undefined, 'PostgreSQL 15.17 has known security holes: install 15.18 or newer'],
    ['relational', POSTGRES('13.23'), undefined, 'install a supported major version or newer'],
    ['key_value', VALKEY('8.0.5'), undefined, 'Valkey 8.0.5 has known security holes (CVE-2025-49844)'],
    ['key_value', REDIS('7.0.15'), undefined, 'Redis 7.0.15 has known security holes'],
    ['key_value', REDIS('7.0.15'), '5:7.0.15-1~deb12u5', 'Redis 7.0.15 has known security holes'],
    ['key_value', REDIS('7.2.10'), undefined, 'Redis 7.2.10 has known security holes'],
    ['key_value', 'no version', undefined, 'has known security holes'],
  ] as const)('of kind %s is warned about as %s of the package %s', (kind, output, packageVersion, warning) =>
    expect(knownHolesIn(kind, output, packageVersion)).toContain(warning),
  );
});
