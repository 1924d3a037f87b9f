import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OutboundGuard } from '@postern/outbound';
import type { SourceCredentials } from '@postern/runtime';
import { GitRepository, program } from '@postern/runtime/testing';
import { newKeyPair, startGitHttpServer, startGitSshServer } from '@postern/testing/git-servers';
import { PinnedRemotes } from '../infrastructure/git/pinned-remotes.js';
import { buildJob } from './objects/build-objects.js';
import { KubernetesHarness } from './testing/kubernetes-harness.js';

const TOKEN = 'glpat-cluster_0123456789';
const never = new AbortController().signal;

const orderOf = (repositoryUrl: string, commit: string, credentials: SourceCredentials) => ({
  deploymentId: randomUUID(),
  webServiceId: randomUUID(),
  repositoryUrl,
  commit,
  buildCommand: undefined,
  startCommand: 'node server.mjs',
  environment: {},
  secrets: [],
  credentials,
  deadlineMs: 60_000,
});

describe('A private repository in a cluster', () => {
  let harness: KubernetesHarness;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    harness = await KubernetesHarness.start();
  }, 120_000);
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  afterAll(() => harness?.stop(), 120_000);

  const newRepository = async () => {
    const repository = await GitRepository.make({
      'server.mjs': program.answering('private'),
      '.gitmodules': '[submodule "theme"]\n\tpath = lib/theme\n\turl = ../theme\n',
      '.gitattributes': '*.psd filter=lfs\n',
    });
    stops.push(() => repository.remove());
    return repository;
  };
  const build = (of: ReturnType<typeof orderOf>) => {
    const output = harness.runtime.logWriter(of.webServiceId, 'build', []);
    return harness.runtime.build(of, output, never).finally(() => output.close());
  };

  it('over HTTP is resolved and fetched with the token', async () => {
    const repository = await newRepository();
    const server = await startGitHttpServer(repository.folder, { access: { username: 'oauth2', password: TOKEN } });
    stops.push(() => server.stop());
    const repositoryUrl = `${server.url}/.git`;
    const resolve = (credentials: SourceCredentials) =>
      harness.runtime.resolveSource({ repositoryUrl, branch: undefined, credentials }, never);
    await expect(resolve({})).rejects.toThrow('if it is private, store an access token');
    await expect(resolve({ https: { username: 'oauth2', token: 'guessed-token' } })).rejects.toThrow(
      'the access token was refused',
    );
    const credentials = { https: { username: 'oauth2', token: TOKEN } };
    const { commit } = await resolve(credentials);
    const order = orderOf(repositoryUrl, commit, credentials);
    expect(await build(order)).toMatchObject({ commit });
    const lines = await harness.runtime.logs(order.webServiceId, { tail: 100, since: undefined });
    expect(lines.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        '.gitmodules found: the submodules lib/theme are not fetched',
        '.gitattributes found: files of Git LFS (*.psd) are not fetched and stay pointers',
      ]),
    );
  }, 90_000);

  it('over SSH is resolved and fetched with the deploy key, and returns the host key', async () => {
    const repository = await newRepository();
    const [key, hostKey] = [newKeyPair(), newKeyPair()];
    const server = await startGitSshServer({ root: repository.folder, authorized: key.publicKey, hostKey });
    stops.push(() => server.stop());
    const repositoryUrl = `ssh://git@127.0.0.1:${server.port}/.git`;
    const { privateKey } = key;
    const resolve = (knownHosts?: string) =>
      harness.runtime.resolveSource(
        { repositoryUrl, branch: undefined, credentials: { ssh: { privateKey, knownHosts } } },
        never,
      );
    const { commit, hostKeys } = await resolve();
    expect(hostKeys).toBe(`[127.0.0.1]:${server.port} ${hostKey.publicKey.split(' ', 2).join(' ')}\n`);
    expect(await resolve(hostKeys)).toEqual({ branch: 'main', commit });
    const credentials = { ssh: { privateKey, knownHosts: hostKeys } };
    expect(await build(orderOf(repositoryUrl, commit, credentials))).toMatchObject({ commit });
    const other = newKeyPair().publicKey.split(' ', 2).join(' ');
    await expect(resolve(`[127.0.0.1]:${server.port} ${other}\n`)).rejects.toThrow(
      'the host key of 127.0.0.1 has changed',
    );
  }, 90_000);
});

describe('The Job of a build', () => {
  it.each([
    ['of the repository into the container that fetches', 'access', ['fetch']],
    ['for pulling base images into the builder', 'pull', ['buildkit']],
    ['of the registry into the container that pushes', 'registry', ['push']],
  ])('mounts the credentials %s, and into no other', async (_, volume, expected) => {
    const remotes = new PinnedRemotes(new OutboundGuard({ allowPrivate: true }));
    const order = orderOf('https://git.example.com/a', 'a'.repeat(40), {
      https: { username: 'ada', token: TOKEN },
    });
    const remote = await remotes.pin(order.repositoryUrl, order.credentials);
    const file = { name: 'x.mjs', text: '' };
    const programs = { build: file, staticServer: file, push: file };
    const settings = { ...SETTINGS, registrySecret: 'registry', basePullSecret: 'base-images' };
    const job = buildJob(order, programs, settings, remote) as unknown as JobOfPod;
    const { initContainers, containers, volumes } = job.spec.template.spec;
    const mounting = [...initContainers, ...containers].filter(({ volumeMounts }) =>
      volumeMounts.some(({ name }) => name === volume),
    );
    expect(mounting.map(({ name }) => name)).toEqual(expected);
    expect(containers.map(({ name }) => name)).toEqual(['push']);
    expect(containers[0]?.volumeMounts.map(({ name }) => name)).toEqual(['archive', 'push', 'registry']);
    const items = Object.fromEntries(volumes.map(({ name, secret }) => [name, secret?.items.map(({ key }) => key)]));
    expect(items['access']).toEqual(['git-token']);
    expect([items['plan'], items['environment']].flat()).not.toContain('git-token');
    expect(JSON.stringify(job)).not.toContain(TOKEN);
  });
});

interface Container {
  readonly name: string;
  readonly volumeMounts: readonly { readonly name: string }[];
}

interface JobOfPod {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly initContainers: readonly Container[];
        readonly containers: readonly Container[];
        readonly volumes: readonly { name: string; secret?: { items: readonly { key: string }[] } }[];
      };
    };
  };
}

const SETTINGS = {
  repository: 'registry.example.com/web',
  insecureRegistry: false,
  baseImage: 'node',
  builderImage: 'buildkit',
  registrySecret: undefined,
  basePullSecret: undefined,
  registryAuthorities: undefined,
  nodeSelector: {},
  memoryMiB: 1,
  cpuMillicores: 1,
  diskMiB: 1,
  allowFileRepositories: false,
};
