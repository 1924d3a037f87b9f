import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandContract, program, runtimeContract } from '@postern/runtime/testing';
import { SourceBuilds } from '../testing/source-builds.js';
import { KubernetesHarness } from './testing/kubernetes-harness.js';

// `isolationContract` does not apply: in a cluster, containers isolate tenants, and the fake node has no isolation.
describe('The Kubernetes runtime', () => {
  runtimeContract(() => KubernetesHarness.start());
  commandContract(() => KubernetesHarness.start());
});

describe('The images of a web service', () => {
  let harness: KubernetesHarness;
  let builds: SourceBuilds<KubernetesHarness>;
  beforeAll(async () => {
    harness = await KubernetesHarness.start();
    builds = new SourceBuilds(harness);
  }, 120_000);
  afterAll(async () => {
    await builds?.removeRepositories();
    await harness?.stop();
  }, 120_000);

  const tagsOf = (webServiceId: string) => harness.tags.filter(tag => tag.startsWith(webServiceId));

  it('are deleted with it, and those of other web services stay, even with the same content', async () => {
    const order = await builds.orderOf(
      { 'server.mjs': program.answering('shop') },
      { startCommand: 'node server.mjs' },
    );
    const other = { ...order, deploymentId: randomUUID(), webServiceId: randomUUID() };
    const changed = await builds.orderOf(
      { 'server.mjs': program.answering('new shop') },
      { webServiceId: order.webServiceId, startCommand: 'node server.mjs' },
    );
    for (const each of [order, other, changed]) await builds.build(each);
    const shared = `${order.webServiceId}.${order.deploymentId}`;
    expect(tagsOf(order.webServiceId)).toEqual([shared, `${order.webServiceId}.${changed.deploymentId}`]);

    await harness.runtime.remove(order.webServiceId);
    expect(tagsOf(order.webServiceId)).toEqual([shared]);
    expect(tagsOf(other.webServiceId)).toHaveLength(1);

    await harness.runtime.remove(other.webServiceId);
    expect(harness.tags).toEqual([]);
  }, 120_000);

  it('are missing if the registry refuses them, and the deployment reports the reason', async () => {
    const order = await builds.orderOf(
      { 'server.mjs': program.answering('shop') },
      { startCommand: 'node server.mjs' },
    );
    harness.requireCredentials({ username: 'ada', password: 'secret' });
    try {
      await expect(builds.build(order)).rejects.toThrow('the image cannot be pushed: the registry answered 401');
    } finally {
      harness.requireCredentials(undefined);
    }
  }, 120_000);
});
