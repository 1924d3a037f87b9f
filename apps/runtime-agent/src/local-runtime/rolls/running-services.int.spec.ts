import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServicePlan } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { processEntry } from '../../infrastructure/process-table.js';
import { stopEverything } from '../stop-everything.js';
import { KEPT_FRAMES } from '../testing/kept-frames.js';
import { LocalRuntimeFixture, type RuntimeFixtureOptions } from '../testing/local-runtime-fixture.js';
import { server } from '../testing/servers.js';

const never = new AbortController().signal;

describe('Running services', () => {
  let fixture: LocalRuntimeFixture;
  afterEach(() => fixture.stop());

  const runs = async (code: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> => {
    const plan = await fixture.plan(code, changes);
    await fixture.runtime.roll(plan, never);
    return plan;
  };

  const start = async (options: RuntimeFixtureOptions = {}): Promise<void> => {
    fixture = await LocalRuntimeFixture.start(options);
  };

  it('scale up under load, and down again afterwards', async () => {
    const scaling = { windowMs: 600, cooldownMs: 800, upAbovePercent: 30, downBelowPercent: 10 };
    await start({ times: { scaling, samplesMs: 100 } });
    const plan = await runs(server.busy, { minInstances: 1, maxInstances: 2 });
    const count = async () => (await fixture.runtime.statusOf(plan.webServiceId))?.healthy;
    const [first] = await fixture.records(plan);
    const request = (path: string) => fetch(`http://${first?.host ?? '127.0.0.1'}:${first?.port}/${path}`);
    await request('work');
    await waitFor(async () => (await count()) === 2, { describe: 'a second instance', timeoutMs: 25_000 });
    await request('rest');
    await waitFor(async () => (await count()) === 1, { describe: 'one instance again', timeoutMs: 15_000 });
    await waitFor(async () => (await fixture.records(plan)).length === 1, { describe: 'the other to be gone' });
    expect((await fixture.visit(plan)).status).toBe(200);
  });

  it('are released by a former leader, which then starts no instances', async () => {
    await start();
    const plan = await runs(server.crashing);
    const [record] = await fixture.records(plan);
    const successor = fixture.anotherRuntime();
    await successor.reconcile([], new Set());
    expect(processEntry(record!.process!.pid)).toBeUndefined();
    expect(await fixture.records(plan)).toEqual([]);
    // The former leader detects this itself, and then returns the recorded status.
    await waitFor(async () => (await fixture.runtime.statusOf(plan.webServiceId)) === undefined);
    expect(await fixture.records(plan)).toEqual([]);
    await successor.detach();
  });

  it('can be inspected by a process that is not the leader', async () => {
    await start();
    const plan = await runs(server.printing, { minInstances: 2, maxInstances: 2 });
    const other = fixture.anotherRuntime();
    await fixture.visit(plan, '/say?hello');
    expect(await other.statusOf(plan.webServiceId)).toMatchObject({ rollId: plan.rollId, healthy: 2, instances: 2 });
    expect(await other.urlOf(plan.webServiceId, plan.name)).toBe(
      await fixture.runtime.urlOf(plan.webServiceId, plan.name),
    );
    await waitFor(
      async () =>
        (await other.logs(plan.webServiceId, { tail: 1, since: undefined })).some(({ message }) => message === 'hello'),
      { describe: 'the line' },
    );
    await other.detach();
  });

  it('are all ended by stopEverything', async () => {
    await start();
    await runs(server.ignoringSigterm);
    await runs(server.answering('hello'), { minInstances: 2, maxInstances: 2 });
    expect((await fixture.pids()).length).toBeGreaterThan(3);
    await stopEverything(fixture.home, 300, { sandboxFrames: KEPT_FRAMES });
    expect(await fixture.pids()).toEqual([]);
    expect(await fixture.instanceRecords.ids()).toEqual([]);
  });
});
