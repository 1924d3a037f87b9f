import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RollFailed, type ServicePlan } from '@postern/runtime';
import { program } from '@postern/runtime/testing';
import { waitFor } from '@postern/testing';
import type { Manifest } from './objects/kinds.js';
import { diskName } from './objects/names.js';
import { KubernetesHarness } from './testing/kubernetes-harness.js';
import { ObserverCluster } from './testing/observer-cluster.js';

const never = new AbortController().signal;

/** Counts its starts in a file on the disk, and responds with the count. */
const COUNTING = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
const file = process.env.DISK_PATH + '/starts';
const starts = existsSync(file) ? Number(readFileSync(file, 'utf8')) + 1 : 1;
writeFileSync(file, String(starts));
createServer((_, response) => response.end(String(starts))).listen(process.env.PORT);
`;

describe('The disk of a web service in a cluster', () => {
  let harness: KubernetesHarness;
  let cluster: ObserverCluster;
  beforeAll(async () => {
    harness = await KubernetesHarness.start();
    cluster = new ObserverCluster('tenants', harness.kubeconfig);
  }, 120_000);
  afterAll(() => harness?.stop(), 120_000);

  const planOf = async (code: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> => {
    const webServiceId = changes.webServiceId ?? randomUUID();
    const repositoryUrl = await harness.makeRepository({ 'server.mjs': code });
    const { commit } = await harness.runtime.resolveSource({ repositoryUrl, branch: undefined }, never);
    const startCommand = 'node server.mjs';
    const order = {
      ...{ deploymentId: randomUUID(), webServiceId, repositoryUrl, commit, buildCommand: undefined, startCommand },
      ...{ environment: {}, secrets: [], deadlineMs: 60_000 },
    };
    const output = harness.runtime.logWriter(webServiceId, 'build', []);
    const artefact = await harness.runtime.build(order, output, never).finally(() => output.close());
    return {
      ...{ webServiceId, name: 'shop', rollId: randomUUID(), artefact, startCommand, port: 8080 },
      ...{ healthCheckPath: undefined, minInstances: 1, maxInstances: 1, environment: {}, secrets: [] },
      ...{ deadlineMs: 20_000, disk: { sizeMib: 64 } },
      ...changes,
    };
  };

  const answerOf = async ({ webServiceId }: ServicePlan): Promise<string> =>
    (await harness.request(`http://ws-${webServiceId}.tenants.svc/`)).body;

  const claimOf = ({ webServiceId }: ServicePlan) =>
    cluster.find<Manifest>({ kind: 'PersistentVolumeClaim', name: diskName(webServiceId) });

  it('keeps its files over a restart and a stop, and is deleted with the web service', async () => {
    const plan = await planOf(COUNTING);
    await harness.runtime.roll(plan, never);
    expect(await answerOf(plan)).toBe('1');
    const next = { ...plan, rollId: randomUUID() };
    await harness.runtime.roll(next, never);
    expect(await answerOf(plan)).toBe('2');
    await harness.runtime.stop(plan.webServiceId);
    expect(await claimOf(plan)).toMatchObject({ spec: { resources: { requests: { storage: '64Mi' } } } });
    await harness.runtime.roll({ ...plan, rollId: randomUUID() }, never);
    expect(await answerOf(plan)).toBe('3');
    await harness.runtime.remove(plan.webServiceId);
    expect(await claimOf(plan)).toBeUndefined();
  }, 120_000);

  it('serves the earlier release again when the next one fails', async () => {
    const plan = await planOf(COUNTING);
    await harness.runtime.roll(plan, never);
    const { webServiceId } = plan;
    const broken = await planOf(program.crashing('no such file'), { webServiceId });
    await expect(harness.runtime.roll(broken, never)).rejects.toBeInstanceOf(RollFailed);
    await waitFor(async () => (await answerOf(plan)) === '2');
  }, 120_000);

  it('can grow', async () => {
    const plan = await planOf(COUNTING);
    await harness.runtime.roll(plan, never);
    await harness.runtime.roll({ ...plan, rollId: randomUUID(), disk: { sizeMib: 128 } }, never);
    expect(await claimOf(plan)).toMatchObject({ spec: { resources: { requests: { storage: '128Mi' } } } });
  }, 120_000);
});
