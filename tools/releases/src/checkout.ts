import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, type ReleaseContract, readReleaseContract } from '@postern/compatibility';
import * as contracts from '@postern/contracts';
import { type HttpRoute, isRequestContract } from '@postern/contracts';
import { services } from '../../setup/services.mjs';
import { httpSurfaceOfCheckout } from './http-surface.js';
import { contractOf, contractsNamed } from './release-contract.js';
import { sentRequests, sourcesBelow } from './sent-requests.js';

/** Everything that is released separately, with its folder. The dashboard is part of the gateway's image. */
export const RELEASED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(services().map(({ name }) => [name, `apps/${name}`])),
  sdk: 'libs/sdk',
  command: 'tools/command',
};

const SNAPSHOTS = 'libs/contracts/released';

export const sourcesOf = (root: string, service: string): readonly string[] =>
  sourcesBelow(join(root, RELEASED[service] as string));

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
  ...['listEmailServices', 'createEmailService', 'listSendingDomains', 'addSendingDomain'],
  ...['listEmails', 'getTrackedEmail'],
  ...['listEmailRequests', 'listPlatformRequests'],
  ...['createWebhookListener', 'readWebhookListener', 'removeWebhookListener'],
  ...['createBounceRule', 'listBounceRules', 'deleteBounceRule'],
  ...['createTemplate', 'listTemplates', 'updateTemplate', 'deleteTemplate', 'previewTemplate', 'sendTestOfTemplate'],
];

/** Clients do not import contracts: they send HTTP requests to the gateway. */
export const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  sdk: PUBLIC_CALLS,
  command: [...PUBLIC_CALLS, ...CALLS_OF_THE_COMMAND],
};

/** The contract of a service in the checkout. */
export const contractOfCheckout = async (root: string, service: string): Promise<ReleaseContract> => {
  const folder = RELEASED[service] as string;
  const manifest = readFileSync(join(root, folder, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const called = (CLIENTS[service] ?? []).flatMap(contractsNamed).filter(isRequestContract);
  const surface = service === 'api-gateway' ? await httpSurfaceOfCheckout(root) : undefined;
  return contractOf(service, version, { called, imported: sentRequests(root, folder) }, surface);
};

/** The contracts of all services in the checkout. */
export const contractsOfCheckout = (root: string): Promise<readonly ReleaseContract[]> =>
  Promise.all(Object.keys(RELEASED).map(service => contractOfCheckout(root, service)));

/** Every release that may still run anywhere. Delete a file to retire its release. */
export const releasedContracts = (root: string): readonly ReleaseContract[] => {
  const folder = join(root, SNAPSHOTS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .map(file => readReleaseContract(JSON.parse(readFileSync(join(folder, file), 'utf8')), `${SNAPSHOTS}/${file}`));
};

/** Formats one request or event per line for readable diffs. */
const snapshotOf = (contract: ReleaseContract): string => {
  const parts = Object.entries(contract).flatMap(([part, value]) => {
    if (value === undefined || Object.keys(value).length === 0) return emptyPart(part, value);
    if (typeof value === 'string' || part === 'envelope') return `  ${JSON.stringify(part)}: ${JSON.stringify(value)}`;
    if (Array.isArray(value))
      return `  ${JSON.stringify(part)}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')}`;
    const lines = Object.entries(value).map(([name, shape]) => `    ${JSON.stringify(name)}: ${JSON.stringify(shape)}`);
    return `  ${JSON.stringify(part)}: {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
};

const emptyPart = (part: string, value: unknown): readonly string[] =>
  value === undefined ? [] : [`  ${JSON.stringify(part)}: ${JSON.stringify(value)}`];

/**
 * Stores the contract of a release. @returns the file, relative to the checkout.
 * @throws if this version was released with another contract or from other sources.
 */
export const record = (root: string, contract: ReleaseContract): string => {
  const path = join(SNAPSHOTS, `${nameOf(contract)}.json`);
  const snapshot = snapshotOf(contract);
  if (existsSync(join(root, path))) {
    const stored = readReleaseContract(JSON.parse(readFileSync(join(root, path), 'utf8')), path);
    // Other releases may have fulfilled its conditions in the meantime.
    const kept = { sources: stored.sources, conditions: stored.conditions };
    const differs = snapshotOf({ ...contract, ...kept }) !== snapshotOf(stored);
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
