import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Artefact, BuildOrder, ServicePlan } from '@postern/runtime';
import { type Files, program, servicePlanOf } from '@postern/runtime/testing';
import { waitFor } from '@postern/testing';
import { SourceBuilds } from '../testing/source-builds.js';
import type { Deployment, Manifest } from './objects/kinds.js';
import { serviceName } from './objects/names.js';
import { KubernetesHarness } from './testing/kubernetes-harness.js';
import { ObserverCluster } from './testing/observer-cluster.js';

const never = new AbortController().signal;

describe('Web services in a cluster', () => {
  let harness: KubernetesHarness;
  let builds: SourceBuilds<KubernetesHarness>;
  let cluster: ObserverCluster;
  beforeAll(async () => {
    harness = await KubernetesHarness.start();
    builds = new SourceBuilds(harness);
    cluster = new ObserverCluster('tenants', harness.kubeconfig);
  }, 120_000);
  afterEach(() => builds.removeRepositories());
  afterAll(() => harness?.stop(), 120_000);

  const build = async (files: Files, changes: Partial<BuildOrder> = {}): Promise<Artefact> =>
    builds.build(await builds.orderOf(files, changes));

  const server = { 'server.mjs': program.answering('hello'), Procfile: 'web: node server.mjs\n' };
  const deploymentOf = async ({ webServiceId }: ServicePlan) => {
    const found = await cluster.find<Deployment>({ kind: 'Deployment', name: serviceName(webServiceId) });
    if (!found) throw new Error('there is no Deployment');
    return found;
  };
  const replicasOf = async (plan: ServicePlan) => (await deploymentOf(plan)).spec.replicas;
  const answerOf = async ({ webServiceId, name }: ServicePlan, path = '') =>
    harness.request((await harness.runtime.urlOf(webServiceId, name)) + path);

  it('are built concurrently', async () => {
    const meeting = mkdtempSync(join(tmpdir(), 'postern-meeting-'));
    const untilBothAreThere = (own: string, other: string) =>
      `touch ${meeting}/${own} && until [ -e ${meeting}/${other} ]; do sleep 0.1; done`;
    try {
      await Promise.all([
        build(server, { buildCommand: untilBothAreThere('one', 'two') }),
        build(server, { buildCommand: untilBothAreThere('two', 'one') }),
      ]);
    } finally {
      rmSync(meeting, { recursive: true });
    }
  });

  it('keep the number of instances that an autoscaler has set, over a release', async () => {
    const plan = servicePlanOf(await build(server), { maxInstances: 3 });
    await harness.runtime.roll(plan, never);
    await cluster.apply(scaledTo(plan, 2), 'an-autoscaler');
    await harness.runtime.roll({ ...plan, rollId: randomUUID() }, never);
    expect(await replicasOf(plan)).toBe(2);
    expect(await harness.runtime.statusOf(plan.webServiceId)).toMatchObject({ healthy: 2, instances: 2 });
  });

  it('change from a fixed number of instances to an autoscaler and back, never below that number', async () => {
    const plan = servicePlanOf(await build(server), { minInstances: 2, maxInstances: 2 });
    await harness.runtime.roll(plan, never);
    await harness.runtime.roll({ ...plan, rollId: randomUUID(), maxInstances: 4 }, never);
    expect(await replicasOf(plan)).toBe(2);
    await harness.runtime.roll({ ...plan, rollId: randomUUID(), minInstances: 3, maxInstances: 3 }, never);
    expect(await replicasOf(plan)).toBe(3);
    const scaler = { kind: 'HorizontalPodAutoscaler', name: serviceName(plan.webServiceId) } as const;
    expect(await cluster.find(scaler)).toBeUndefined();
  });

  it('are restored after objects were deleted or changed by another client', async () => {
    const plan = servicePlanOf(await build(server));
    await harness.runtime.roll(plan, never);
    const name = serviceName(plan.webServiceId);
    await cluster.remove({ kind: 'Service', name });
    await cluster.remove({ kind: 'PodDisruptionBudget', name });
    await cluster.apply(scaledTo(plan, 0), 'somebody');
    await harness.runtime.reconcile([plan], new Set());
    expect(await cluster.find({ kind: 'Service', name })).toBeDefined();
    expect(await cluster.find({ kind: 'PodDisruptionBudget', name })).toBeDefined();
    await waitFor(async () => (await harness.runtime.statusOf(plan.webServiceId))?.healthy === 1);
  });

  it('keep no configuration of earlier releases', async () => {
    const plan = servicePlanOf(await build(server), { environment: { KEY: 'one' } });
    await harness.runtime.roll(plan, never);
    await harness.runtime.roll({ ...plan, rollId: 'second', environment: { KEY: 'two' } }, never);
    const secrets = await cluster.list<Manifest>('Secret', `postern.dev/web-service=${plan.webServiceId}`);
    expect(secrets.map(({ metadata, immutable }) => [metadata.name, immutable])).toEqual([['release-second', true]]);
    await harness.runtime.stop(plan.webServiceId);
    expect(await cluster.list('Secret', `postern.dev/web-service=${plan.webServiceId}`)).toEqual([]);
  });

  it('log once how an instance ended, also over a restart of the agent', async () => {
    const plan = servicePlanOf(await build(server));
    const { webServiceId } = plan;
    const messages = async () => {
      const lines = await harness.runtime.logs(webServiceId, { since: undefined, tail: 100 });
      return lines.filter(({ stream }) => stream === 'platform').map(({ message }) => message);
    };
    const endsAnew = async (times: number) => {
      await harness.killInstances(webServiceId);
      await waitFor(async () => (await messages()).length === times);
      await waitFor(async () => (await harness.runtime.statusOf(webServiceId))?.healthy === 1);
    };
    await harness.runtime.roll(plan, never);
    await endsAnew(1);
    await harness.restart();
    await harness.runtime.reconcile([plan], new Set());
    await endsAnew(2);
    await harness.runtime.stop(webServiceId);
    const message = expect.stringMatching(
      new RegExp(`^ws-${webServiceId}-\\S+ was killed \\(signal 9\\), for example`),
    );
    expect(await messages()).toEqual([message, message]);
  }, 60_000);

  it('fail at once if their image does not exist', async () => {
    const artefact = { reference: `example.com/shop@sha256:${'0'.repeat(64)}`, commit: 'a'.repeat(40) };
    const rolling = harness.runtime.roll(servicePlanOf(artefact), never);
    await expect(rolling).rejects.toThrow(/^the image cannot be pulled: .*not found/);
  });

  it('pass their command to the shell unchanged', async () => {
    const code = program.answeringVariable('OUTPUT');
    const startCommand = 'OUTPUT="$(echo "$GREETING") $$x" node server.mjs';
    const plan = servicePlanOf(await build({ 'server.mjs': code }, { startCommand }), {
      startCommand: startCommand.replace('$$x', '$(true)'),
      environment: { GREETING: 'good day' },
    });
    await harness.runtime.roll(plan, never);
    expect((await answerOf(plan)).body).toBe('good day ');
  });

  it('can be a static site, which serves only its own files', async () => {
    const files = { 'dist/index.html': 'home', 'dist/about.html': 'about', 'dist/.env': 'hidden', 'secret.txt': 'x' };
    const plan = servicePlanOf(await build(files));
    await harness.runtime.roll(plan, never);
    expect(await answerOf(plan)).toEqual({ status: 200, body: 'home' });
    expect(await answerOf(plan, '/about')).toEqual({ status: 200, body: 'about' });
    for (const path of ['/.env', '/none', '/%2e%2e/secret.txt', '/..%2fsecret.txt'])
      expect([path, (await answerOf(plan, path)).status]).toEqual([path, 404]);
  });

  it.each([
    ['no start command', { 'README.md': 'hello' }, {}],
    ['package.json is not valid', { 'package.json': '{' }, {}],
    ['the build command was killed by SIGKILL', server, { buildCommand: 'kill -9 $$' }],
    [
      'npm install && npm run build --if-present exited with code',
      { 'package.json': '{"scripts":{"build":"false"}}' },
      {},
    ],
    ['there is no repository at file:///nowhere', server, { repositoryUrl: 'file:///nowhere' }],
  ])('are not built where %s', async (message, files, changes) => {
    await expect(build(files, changes)).rejects.toThrow(message);
    expect(await cluster.list('Secret', 'postern.dev/build')).toEqual([]);
  });

  it('report a build that exceeds its deadline', async () => {
    const building = build(server, { buildCommand: 'sleep 60', deadlineMs: 1_000 });
    await expect(building).rejects.toThrow('the build took longer than 1 s');
  });
});

const scaledTo = ({ webServiceId }: ServicePlan, replicas: number): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: serviceName(webServiceId) },
  spec: { replicas },
});
