import { expect, it } from '@jest/globals';
import { type RuntimeOrder, runtimeOrder } from '@postern/contracts';
import { RemoteRuntime } from './remote-runtime.js';
import type { RuntimeAgent } from './runtime-agent.js';

const signal = new AbortController().signal;

it('an order to resolve a branch sends the credentials to the agent and returns the host keys', async () => {
  const orders: RuntimeOrder[] = [];
  const agent = {
    execute: async (order: RuntimeOrder) => {
      orders.push(runtimeOrder.parse(order));
      return { branch: 'main', commit: 'a'.repeat(40), host_keys: 'git.example.com ssh-ed25519 AAAA\n' };
    },
  } as unknown as RuntimeAgent;
  const source = {
    repositoryUrl: 'git@git.example.com:a',
    branch: undefined,
    credentials: {
      ssh: { privateKey: 'key', knownHosts: 'known' },
      https: { username: 'ada', token: 'secret' },
    },
  };
  expect(await new RemoteRuntime(agent).resolveSource(source, signal)).toEqual({
    branch: 'main',
    commit: 'a'.repeat(40),
    hostKeys: 'git.example.com ssh-ed25519 AAAA\n',
  });
  expect(orders).toEqual([
    {
      kind: 'resolve_source',
      repository_url: 'git@git.example.com:a',
      credentials: {
        ssh: { private_key: 'key', known_hosts: 'known' },
        https: { username: 'ada', token: 'secret' },
      },
    },
  ]);
});
