import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as contracts from '@postern/contracts';
import { type HttpRoute, isRequestContract } from '@postern/contracts';
import { Postern } from '@postern/sdk';

/**
 * Operations of the platform API without a command of their own, and why. `postern api` calls them, and the MCP server of an
 * installation has a tool for every operation.
 */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  ...reason(
    'is set up once, mostly in the dashboard, because its secret or public key is entered at a Git host or registry',
    [
      ...['DeployHooks.create', 'DeployHooks.get', 'DeployHooks.remove'],
      ...['DeployKeys.create', 'DeployKeys.get', 'DeployKeys.remove', 'GitTokens.set', 'GitTokens.remove'],
      ...['RegistryCredentials.set', 'RegistryCredentials.remove'],
    ],
  ),
  ...reason('has values that are not written in a shell; variables of a web service have a command', [
    ...['ProjectSecrets.delete', 'ProjectSecrets.list', 'ProjectSecrets.set', 'ProjectSecrets.setAll'],
  ]),
  ...reason('is a chart in the dashboard, and a stream of other programs', [
    ...['LogsAndMetrics.history', 'LogsAndMetrics.metrics', 'WebServices.processes'],
  ]),
  ...reason('is rare: a blueprint or the dashboard does it', ['Projects.change', 'Projects.get', 'Projects.remove']),
  ...reason('has the list of the command or of the log', ['CronJobs.runs', 'Runs.list']),
  ...reason('is what another command does: start, env set', ['WebServices.deploy', 'Environment.set']),
};

function reason(text: string, of: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(of.map(operation => [operation, text]));
}

/** Any id. */
const ID = 'id';
const shapeOf = (method: string, path: string): string => `${method} ${path.replace(/\{\w+\}/g, '{}')}`;

/** The operations of the platform API by method and path. */
const operations = new Map(
  Object.values<unknown>(contracts)
    .filter(isRequestContract)
    .flatMap(({ http }) => http as readonly HttpRoute[])
    .filter(({ access }) => [access].flat().includes('platform-key'))
    .map(({ method, path, operation }) => [shapeOf(method, path), operation]),
);

/** The calls of each method of the SDK, such as `databases.list`. */
const callsOfSdk = async (): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const calls = new Map<string, Set<string>>();
  let called = new Set<string>();
  const { platform } = new Postern('ak_live_test', {
    baseUrl: 'https://postern.example.com',
    maxRetries: 0,
    fetch: async (url, init) => {
      const path = new URL(String(url)).pathname.slice('/api/v1'.length);
      called.add(`${init?.method ?? 'GET'} ${path.replaceAll(`/${ID}`, '/{}')}`);
      return Response.json({ error: 'Not found' }, { status: 404 });
    },
  });
  const client = platform as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  for (const part of Object.keys(client))
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(client[part]))) {
      const method = client[part]?.[name];
      if (name === 'constructor' || typeof method !== 'function') continue;
      called = new Set();
      await ended(method.apply(client[part], [ID, ID, {}])).catch(() => undefined);
      calls.set(`${part}.${name}`, called);
    }
  return calls;
};

/** Waits for a promise, or for the first item of a stream. */
const ended = async (answer: unknown): Promise<void> => {
  if (answer instanceof Promise) await answer;
  else for await (const _ of answer as AsyncIterable<unknown>) return;
};

/** The methods of the SDK in the sources of the command, such as `databases.list`. */
const methodsOfCommand = (): ReadonlySet<string> => {
  const folder = import.meta.dirname;
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.startsWith('mcp/'))
    .map(name => readFileSync(join(folder, name), 'utf8'));
  return new Set(
    sources.flatMap(text => [
      ...[...text.matchAll(/\.(\w+)(?=\.(\w+)\b)/g)].map(([, part, name]) => `${part}.${name}`),
      ...(text.includes('.webServices[action]') ? ACTIONS.map(name => `webServices.${name}`) : []),
    ]),
  );
};

/** They are not operations of the documented API. */
const STREAMS = new Set(['GET /web-services/{}/logs/stream', 'GET /web-services/{}/runs/{}/logs/stream']);

const ACTIONS = ['start', 'restart', 'stop'];

describe('an operation of the platform API', () => {
  it('that a method of the SDK calls exists', async () => {
    const unknown = [...(await callsOfSdk())].flatMap(([name, calls]) =>
      [...calls].filter(call => !operations.has(call) && !STREAMS.has(call)).map(call => `${name}: ${call}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has a command, or a reason to have none', async () => {
    const used = methodsOfCommand();
    const reached = new Set([...(await callsOfSdk())].flatMap(([name, calls]) => (used.has(name) ? [...calls] : [])));
    const missing = [...operations].filter(([call]) => !reached.has(call)).map(([, operation]) => operation);
    expect(missing.sort()).toEqual(Object.keys(WITHOUT_COMMAND).sort());
  });
});
