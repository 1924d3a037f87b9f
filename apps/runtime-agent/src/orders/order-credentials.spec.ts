import { expect, it } from '@jest/globals';
import type {
  DatabaseBackups,
  DatabaseRuntime,
  DatabaseStorage,
  LogWriter,
  Runtime,
  SourceCredentials,
} from '@postern/runtime';
import type { OrderDocuments } from './order-documents.js';
import { OrderExecution } from './order-execution.js';

const signal = new AbortController().signal;
const credentials = { ssh: { private_key: 'key', known_hosts: 'known' }, https: { username: 'ada', token: 'secret' } };

it('orders pass their credentials to the runtime, and return host keys', async () => {
  const given: (SourceCredentials | undefined)[] = [];
  const output: LogWriter = { write: () => {}, close: async () => {} };
  const runtime = {
    resolveSource: async (source: { credentials?: SourceCredentials }) => {
      given.push(source.credentials);
      return { branch: 'main', commit: 'a', hostKeys: 'shown' };
    },
    build: async (order: { credentials?: SourceCredentials }) => {
      given.push(order.credentials);
      return { reference: 'x', commit: 'a' };
    },
    logWriter: () => output,
  };
  const execution = new OrderExecution(
    runtime as unknown as Runtime,
    {} as DatabaseRuntime,
    {} as DatabaseStorage,
    {} as DatabaseBackups,
    {} as OrderDocuments,
  );
  const resolved = await execution.run({ kind: 'resolve_source', repository_url: 'x', credentials }, signal);
  expect(resolved).toEqual({ branch: 'main', commit: 'a', host_keys: 'shown' });
  const build = {
    kind: 'build' as const,
    deployment_id: 'd',
    web_service_id: 'w',
    repository_url: 'x',
    commit: 'a',
    environment: {},
    secrets: [],
    credentials,
    deadline_ms: 1,
    output: { instance: 'build', redact: [] },
  };
  await execution.run(build, signal);
  const expected = { ssh: { privateKey: 'key', knownHosts: 'known' }, https: { username: 'ada', token: 'secret' } };
  expect(given).toEqual([expected, expected]);
});
