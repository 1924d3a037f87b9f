import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRequestContract, type RequestContract } from '@postern/contracts';
import { contractsNamed } from './release-contract.js';

const IMPORTS = /import\s*\{([^}]*)\}\s*from\s*'@postern\/contracts'/g;

/** Source files without specs and test support. */
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['testing', 'generated'].includes(entry.name) ? [] : filesBelow(path);
    return /(?<!\.spec|\.d)\.ts$/.test(entry.name) ? [path] : [];
  });

/** The texts of the sources of a package. */
export const sourcesBelow = (folder: string): readonly string[] =>
  existsSync(join(folder, 'src')) ? filesBelow(join(folder, 'src')).map(path => readFileSync(path, 'utf8')) : [];

/** The names of values that a source imports from the contracts, without type imports. */
export const importedContracts = (source: string): readonly string[] =>
  [...source.matchAll(IMPORTS)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '' && !name.startsWith('type '))
      .map(name => name.split(/\s+as\s+/)[0] as string),
  );

/** The operations that sources name: `OPERATIONS[…].diagnose`, or `'diagnose'` where the name is chosen at run time. */
const operationsNamed = (sources: readonly string[]): ReadonlySet<string> =>
  new Set(
    sources.flatMap(source => [
      ...[...source.matchAll(/OPERATIONS\[[^\]]+\]\.(\w+)/g)].map(([, member = '']) => member),
      ...[...source.matchAll(/'([a-z]\w+)'/g)].map(([, text = '']) => text),
    ]),
  );

/** Requests that the code of one package can send. */
const requestsIn = (sources: readonly string[]): readonly RequestContract[] => {
  const named = operationsNamed(sources);
  return [...new Set(sources.flatMap(importedContracts))].flatMap(name => {
    const requests = contractsNamed(name).filter(isRequestContract);
    return name === 'OPERATIONS' ? requests.filter(request => named.has(camelCased(request.name))) : requests;
  });
};

const camelCased = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Folders of the libraries that a package is built with, directly or through others. The contracts send nothing. */
export const librariesOf = (root: string, folder: string, found = new Set<string>()): ReadonlySet<string> => {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const library = `libs/${name.replace('@postern/', '')}`;
    if (!name.startsWith('@postern/') || name === '@postern/contracts' || found.has(library)) continue;
    if (!existsSync(join(root, library, 'package.json'))) continue;
    found.add(library);
    librariesOf(root, library, found);
  }
  return found;
};

/** Requests that a package can send with its own code and with that of its libraries. */
export const sentRequests = (root: string, folder: string): readonly RequestContract[] => [
  ...new Set([folder, ...librariesOf(root, folder)].flatMap(one => requestsIn(sourcesBelow(join(root, one))))),
];
