import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contracts from '@postern/contracts';
import { type HttpRoute, isRequestContract } from '@postern/contracts';
import { contractOf, nameOf, type ReleaseContract } from './release-contract.js';

/** Everything that is released separately, with its folder. The dashboard is part of the gateway's image. */
export const RELEASED: Readonly<Record<string, string>> = {
  'api-gateway': 'apps/api-gateway',
  'email-send': 'apps/email-send',
  'delivery-tracking': 'apps/delivery-tracking',
  'webhook-dispatch': 'apps/webhook-dispatch',
  'platform-management': 'apps/platform-management',
  'runtime-agent': 'apps/runtime-agent',
  'load-balancer': 'apps/load-balancer',
  'postern-cli': 'tools/postern-cli',
  sdk: 'libs/sdk',
  command: 'tools/command',
};

const SNAPSHOTS = 'libs/contracts/released';
const IMPORTS = /import\s*\{([^}]*)\}\s*from\s*'@postern\/contracts'/g;

/** Source files without specs and test support. */
const sourcesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['testing', 'generated'].includes(entry.name) ? [] : sourcesBelow(path);
    return /(?<!\.spec|\.d)\.ts$/.test(entry.name) ? [path] : [];
  });

/** The names of values that a source imports from the contracts, without type imports. */
export const importedContracts = (source: string): readonly string[] =>
  [...source.matchAll(IMPORTS)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '' && !name.startsWith('type '))
      .map(name => name.split(/\s+as\s+/)[0] as string),
  );

export const sourcesOf = (root: string, service: string): readonly string[] =>
  sourcesBelow(join(root, RELEASED[service] as string, 'src')).map(path => readFileSync(path, 'utf8'));

const isPublic = ({ access }: HttpRoute): boolean => [access].flat().includes('platform-key');

/** Requests that programs with a key send through the gateway. */
const PUBLIC_CALLS = [
  'sendEmail',
  'getEmail',
  ...Object.entries<unknown>(contracts)
    .filter(([, value]) => isRequestContract(value) && value.http.some(isPublic))
    .map(([name]) => name),
];

/** Requests that the command sends with a session. */
const CALLS_OF_THE_COMMAND = [
  ...['createSession', 'endSession', 'getMe'],
  ...['listEmailServices', 'listEmails', 'getTrackedEmail'],
  ...['createWebhookListener', 'readWebhookListener', 'removeWebhookListener'],
];

/** Clients do not import contracts: they send HTTP requests to the gateway. */
export const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  sdk: PUBLIC_CALLS,
  command: [...PUBLIC_CALLS, ...CALLS_OF_THE_COMMAND],
};

/** The contract of a service in the checkout. */
export const contractOfCheckout = (root: string, service: string): ReleaseContract => {
  const manifest = readFileSync(join(root, RELEASED[service] as string, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const names = CLIENTS[service] ?? sourcesOf(root, service).flatMap(importedContracts);
  return contractOf(service, version, [...new Set(names)]);
};

/** Every release that may still run anywhere. Delete a file to retire its release. */
export const releasedContracts = (root: string): readonly ReleaseContract[] => {
  const folder = join(root, SNAPSHOTS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')) as ReleaseContract);
};

/** Formats one request or event per line for readable diffs. */
const snapshotOf = (contract: ReleaseContract): string => {
  const parts = Object.entries(contract).flatMap(([part, value]) => {
    if (value === undefined) return [];
    if (typeof value === 'string' || part === 'envelope') return `  ${JSON.stringify(part)}: ${JSON.stringify(value)}`;
    const lines = Object.entries(value).map(([name, shape]) => `    ${JSON.stringify(name)}: ${JSON.stringify(shape)}`);
    return `  ${JSON.stringify(part)}: {${lines.length > 0 ? `\n${lines.join(',\n')}\n  ` : ''}}`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
};

/**
 * Stores the contract of a release. @returns the file, relative to the checkout.
 * @throws if this version was released with another contract or from other sources.
 */
export const record = (root: string, contract: ReleaseContract): string => {
  const path = join(SNAPSHOTS, `${nameOf(contract)}.json`);
  const snapshot = snapshotOf(contract);
  if (existsSync(join(root, path))) {
    const stored = JSON.parse(readFileSync(join(root, path), 'utf8')) as ReleaseContract;
    const differs = snapshotOf({ ...contract, sources: stored.sources }) !== snapshotOf(stored);
    if (differs || (stored.sources !== undefined && stored.sources !== contract.sources))
      throw new Error(
        `${nameOf(contract)} was released ${differs ? 'with another contract' : 'from other sources'}. A release cannot change: raise the version.`,
      );
    return path;
  }
  mkdirSync(join(root, SNAPSHOTS), { recursive: true });
  writeFileSync(join(root, path), snapshot);
  return path;
};
