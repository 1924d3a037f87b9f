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
    const scaling = { windowMs: 600, cooldownMs: 800, cpuPercent: 30, downBelow: 1 / 3 };
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

  it('scale up with the requests', async () => {
    const scaling = { windowMs: 600, cooldownMs: 800, cpuPercent: 100, downBelow: 0.4 };
    await start({ times: { scaling, samplesMs: 100 } });
    const autoscaling = { requestsPerSecond: 2 };
    const plan = await runs(server.answering('hello'), { minInstances: 1, maxInstances: 2, autoscaling });
    const count = async () => (await fixture.runtime.statusOf(plan.webServiceId))?.healthy;
    const visits = setInterval(() => void fixture.visit(plan), 50);
    await waitFor(async () => (await count()) === 2, { describe: 'a second instance', timeoutMs: 25_000 });
    clearInterval(visits);
    await waitFor(async () => (await count()) === 1, { describe: 'one instance again', timeoutMs: 15_000 });
  });

  describe('without requests', () => {
    const autoscaling = { idleMinutes: 5 };
    const asleep = async ({ webServiceId }: ServicePlan) => (await fixture.runtime.statusOf(webServiceId))?.asleep;
    const fallsAsleep = (plan: ServicePlan) =>
      waitFor(async () => (await asleep(plan)) && (await fixture.records(plan)).length === 0, {
        describe: 'no instance',
        timeoutMs: 25_000,
      });

    it('end, and start again with the next request, which waits', async () => {
      await start({ times: { samplesMs: 100, idleMinuteMs: 100 } });
      const plan = await runs(server.answering('hello'), { autoscaling });
      await fallsAsleep(plan);
      expect(await fixture.runtime.statusOf(plan.webServiceId)).toMatchObject({ rollId: plan.rollId, instances: 0 });
      const answers = await Promise.all([fixture.visit(plan), fixture.visit(plan)]);
      expect(answers.map(({ body }) => body)).toEqual(['hello', 'hello']);
      await fallsAsleep(plan);
    });

    it('stay ended when another process takes over', async () => {
      await start({ times: { samplesMs: 100, idleMinuteMs: 100 } });
      const plan = await runs(server.answering('hello'), { autoscaling });
      await fallsAsleep(plan);
      const successor = fixture.anotherRuntime();
      expect(await successor.statusOf(plan.webServiceId)).toMatchObject({ asleep: true });
      await successor.reconcile([plan], new Set());
      expect(await successor.statusOf(plan.webServiceId)).toMatchObject({ asleep: true, instances: 0 });
      expect(await fixture.records(plan)).toEqual([]);
      expect((await fixture.visit(plan)).body).toBe('hello');
      await successor.detach();
    });

    it('answer with 503 if the instance that a request starts crashes', async () => {
      await start({ times: { samplesMs: 100, idleMinuteMs: 100 } });
      const once = `import { existsSync, writeFileSync } from 'node:fs';
        if (existsSync(process.env.DISK_PATH + '/started')) process.exit(1);
        writeFileSync(process.env.DISK_PATH + '/started', '');`;
      const plan = await runs(`${once}\n${server.answering('hello')}`, { autoscaling, disk: { sizeMib: 64 } });
      await fallsAsleep(plan);
      expect((await fixture.visit(plan)).status).toBe(503);
    });

    it('are stopped by a stop: requests get 503 at once', async () => {
      await start({ times: { samplesMs: 100, idleMinuteMs: 100 } });
      const plan = await runs(server.answering('hello'), { autoscaling });
      await fallsAsleep(plan);
      await fixture.runtime.stop(plan.webServiceId);
      expect((await fixture.visit(plan)).body).toContain('This service is stopped');
      expect(await asleep(plan)).toBeUndefined();
    });

    it('get a new release while no instance runs', async () => {
      await start({ times: { samplesMs: 100, idleMinuteMs: 600 } });
      const plan = await runs(server.answering('old'), { autoscaling });
      await fallsAsleep(plan);
      const next = await fixture.plan(server.answering('new'), { webServiceId: plan.webServiceId, autoscaling });
      const [answer] = await Promise.all([fixture.visit(plan), fixture.runtime.roll(next, never)]);
      expect(['old', 'new']).toContain(answer.body);
      expect((await fixture.visit(plan)).body).toBe('new');
    });

    it('run again when the setting is removed', async () => {
      await start({ times: { samplesMs: 100, idleMinuteMs: 100 } });
      const plan = await runs(server.answering('hello'), { autoscaling });
      await fallsAsleep(plan);
      await fixture.runtime.reconcile([{ ...plan, autoscaling: undefined }], new Set());
      await waitFor(async () => (await fixture.runtime.statusOf(plan.webServiceId))?.healthy === 1, {
        describe: 'the instance',
      });
    });
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
