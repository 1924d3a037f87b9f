import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GitRepository, program } from '@postern/runtime/testing';
import { startDnsServer, type TestDns } from '@postern/testing';
import { startGitHttpServer } from '@postern/testing/git-servers';
import { canPin } from '../infrastructure/git/git-environment.js';
import { guardWithDns } from '../infrastructure/git/testing/hostile-dns.js';
import { Cluster } from './cluster.js';
import { requirePinning } from './objects/git-pod.js';
import { LABEL, OURS } from './objects/names.js';
import { KubernetesHarness } from './testing/kubernetes-harness.js';

const never = new AbortController().signal;
const LEFT = ['Job', 'Secret', 'Pod'] as const;

describe('Git in a cluster', () => {
  let dns: TestDns;
  let harness: KubernetesHarness;
  let cluster: Cluster;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    dns = await startDnsServer();
    harness = await KubernetesHarness.start(guardWithDns(dns.address, ['127.0.0.1']));
    cluster = new Cluster('tenants', harness.kubeconfig);
  }, 120_000);
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  afterAll(async () => {
    await harness?.stop();
    await dns.stop();
  }, 120_000);

  const serve = async (files: Readonly<Record<string, string>>) => {
    const repository = await GitRepository.make(files);
    stops.push(() => repository.remove());
    const server = await startGitHttpServer(repository.folder);
    stops.push(() => server.stop());
    dns.setRecords('pinned.test', 'A', ['127.0.0.1']);
    const url = `http://pinned.test:${new URL(server.url).port}`;
    return { url, commit: await repository.git('rev-parse', 'HEAD') };
  };

  const order = (repositoryUrl: string, commit: string) => ({
    deploymentId: randomUUID(),
    webServiceId: randomUUID(),
    repositoryUrl,
    commit,
    buildCommand: undefined,
    startCommand: 'node server.mjs',
    environment: {},
    secrets: [],
    deadlineMs: 60_000,
  });

  const build = (of: ReturnType<typeof order>) => {
    const output = harness.runtime.logWriter(of.webServiceId, 'build', []);
    return harness.runtime.build(of, output, never).finally(() => output.close());
  };

  const leftOf = async (selector: string) =>
    (await Promise.all(LEFT.map(kind => cluster.list(kind, `${OURS},${selector}`)))).flat().length;

  it('resolves and fetches in pods, which connect to the checked address', async () => {
    const { url, commit } = await serve({ 'server.mjs': program.answering('hello') });
    const repositoryUrl = `${url}/.git`;
    expect(await harness.runtime.resolveSource({ repositoryUrl, branch: undefined }, never)).toEqual({
      branch: 'main',
      commit,
    });
    expect(await build(order(repositoryUrl, commit))).toMatchObject({ commit });
  }, 60_000);

  it('reports the response of the Git server, and leaves no pod', async () => {
    const { url } = await serve({ 'a.txt': 'a' });
    const resolve = (path: string, branch?: string) =>
      harness.runtime.resolveSource({ repositoryUrl: `${url}${path}`, branch }, never);
    await expect(resolve('/none')).rejects.toThrow(`there is no repository at ${url}/none`);
    await expect(resolve('/.git', 'mai?')).rejects.toThrow('the repository has no branch or tag mai?');
    await expect(resolve('/.git', '$(URL)')).rejects.toThrow('the repository has no branch or tag $(URL)');
    await harness.runtime.reconcile([], new Set());
    expect(await leftOf(LABEL.source)).toBe(0);
  }, 60_000);

  it('starts no pod for a private address, and does not reveal what is there', async () => {
    dns.setRecords('private.test', 'A', ['10.0.0.5']);
    const messages = await Promise.all(
      ['http://private.test/x', 'http://unknown.test/x', 'http://169.254.169.254/x'].map(async url => {
        const resolving = harness.runtime.resolveSource({ repositoryUrl: url, branch: undefined }, never);
        const building = build(order(url, 'a'.repeat(40)));
        const errors = await Promise.allSettled([resolving, building]);
        return errors.map(result => result.status === 'rejected' && result.reason.message.replace(url, 'URL'));
      }),
    );
    expect(new Set(messages.flat())).toEqual(
      new Set([
        'the repository URL could not be fetched: check its address, and that it can be reached over the internet',
      ]),
    );
    expect(await leftOf(LABEL.source)).toBe(0);
  });

  it('removes leftovers of a killed agent', async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'postern', [LABEL.source]: 'gone' };
    await cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'source-gone', labels } });
    await harness.runtime.reconcile([], new Set());
    expect(await leftOf(LABEL.source)).toBe(0);
  });
});

describe('The script of a Git pod', () => {
  const remote = { url: '', curlResolve: 'a.test:80:93.184.215.14', sshOptions: [] };
  const versions = [1.9, 2.1, 2.9, '2.10', 2.19, 2.29, '2.30', 2.36, 2.37, 2.39, '2.40', 2.51, '2.100', '3.0'];

  it.each(versions.map(version => `git version ${version}.2`))(
    'pins with the same versions of git: %s',
    async version => {
      const script = `git() { echo '${version}'; }\n${requirePinning(remote)}exit 0`;
      const works = await promisify(execFile)('/bin/sh', ['-c', script]).then(
        () => true,
        () => false,
      );
      expect(works).toBe(canPin(version));
    },
  );
});
