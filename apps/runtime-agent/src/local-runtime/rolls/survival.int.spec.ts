import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunOrder, ServicePlan } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { processEntry } from '../../infrastructure/process-table.js';
import { canCreateNetworks } from '../sandbox/network/testing/network-fixture.js';
import { LocalRuntimeFixture } from '../testing/local-runtime-fixture.js';
import { PlatformProcess } from '../testing/platform-process.js';
import { server } from '../testing/servers.js';
import { beginUntilChanges } from '../testing/until-changes.js';

const never = new AbortController().signal;

describe('When the platform is killed', () => {
  let fixture: LocalRuntimeFixture;
  let platform: PlatformProcess;
  beforeEach(async () => {
    fixture = await LocalRuntimeFixture.start();
    platform = await PlatformProcess.start(fixture.home);
  });
  afterEach(async () => {
    await platform.kill();
    await fixture.stop();
  });

  const runs = async (code: string, changes: Partial<ServicePlan> = {}): Promise<ServicePlan> => {
    const plan = await fixture.plan(code, changes);
    expect(await platform.order({ kind: 'roll', plan })).toBe('done');
    return plan;
  };

  it('its services keep running, and the next run adopts the same processes', async () => {
    const plan = await runs(server.answering('hello'), { minInstances: 2, maxInstances: 2 });
    const pids = await fixture.pids();
    await platform.kill();
    expect((await fixture.visit(plan)).body).toBe('hello');
    await fixture.runtime.reconcile([plan], new Set());
    expect(await fixture.pids()).toEqual(pids);
    expect(await fixture.runtime.statusOf(plan.webServiceId)).toMatchObject({ healthy: 2, instances: 2 });
    expect((await fixture.visit(plan)).body).toBe('hello');
  });

  it('a command keeps running, although several orders reach the next run at once', async () => {
    const { webServiceId, artefact } = await fixture.plan('setTimeout(() => {}, 4_000);');
    const runId = randomUUID();
    const order: RunOrder = {
      ...{ runId, webServiceId, artefact, instance: 'run-one', command: 'node server.mjs', environment: {} },
      ...{ secrets: [], size: undefined, deadlineMs: 60_000 },
    };
    platform.begin({ kind: 'run', order });
    await waitFor(async () => (await fixture.records({ webServiceId })).some(({ process }) => process), {
      describe: 'the command to run',
    });
    await platform.kill();
    const reconciled = Array.from({ length: 5 }, () => fixture.runtime.reconcile([], new Set()));
    expect(await fixture.runtime.run(order, never)).toEqual({ exitCode: 0, reason: null });
    await Promise.all(reconciled);
  });

  it('no log line is lost that a service writes before the next run', async () => {
    const plan = await runs(server.printing);
    await platform.kill();
    for (let line = 1; line <= 100; line += 1) await fixture.visit(plan, `/say?line${line}`);
    await fixture.runtime.reconcile([plan], new Set());
    await fixture.visit(plan, '/say?last');
    await waitFor(async () => (await fixture.messages(plan)).includes('last'), { describe: 'the last line' });
    expect(await fixture.messages(plan)).toEqual([...Array.from({ length: 100 }, (_, n) => `line${n + 1}`), 'last']);
  });

  it('an instance that crashes meanwhile is detected, with its last lines, and replaced', async () => {
    const plan = await runs(server.crashing);
    const first = (await fixture.visit(plan)).body;
    await platform.kill();
    await fixture.visit(plan, '/crash', { method: 'POST' }).catch(() => {});
    await fixture.runtime.reconcile([plan], new Set());
    await waitFor(async () => {
      const { status, body } = await fixture.visit(plan);
      return status === 200 && body !== first;
    });
    expect(await fixture.messages(plan)).toContain('out of luck');
    const status = await fixture.runtime.statusOf(plan.webServiceId);
    expect(status?.lastFailure).toMatch(/exited with code 7\nout of luck$/);
  });

  it('instances of services that are no longer expected are ended by the next run, and their address responds with 503', async () => {
    const plan = await runs(server.ignoringSigterm);
    await platform.kill();
    await fixture.runtime.reconcile([], new Set());
    expect(await fixture.pids()).toEqual([]);
    expect(await fixture.instanceRecords.ids()).toEqual([]);
    expect((await fixture.networkIds()) ?? []).toEqual([]);
    expect((await fixture.visit(plan)).status).toBe(503);
  });

  it('secrets stay masked in output that the next run reads', async () => {
    const secrets = { environment: { KEY: 'abracadabra' }, secrets: ['abracadabra'] };
    const plan = await runs(server.printing, secrets);
    await platform.kill();
    await fixture.visit(plan, '/say?it%20is%20abracadabra');
    // The service is no longer expected, so no plan contains its secrets.
    await fixture.runtime.reconcile([], new Set());
    expect(await fixture.messages(plan)).toEqual(['it is ********']);
  });

  it('a roll continues when it is requested again', async () => {
    const before = await runs(server.answering('old'));
    const gate = server.withStatus.replace('let status = 200', 'let status = 500');
    const after = await fixture.plan(gate, { webServiceId: before.webServiceId, healthCheckPath: '/' });
    platform.begin({ kind: 'roll', plan: after });
    const started = await waitFor(
      async () => (await fixture.records(after)).find(({ rollId, process }) => rollId === after.rollId && process),
      { describe: 'the new instance' },
    );
    await platform.kill();
    expect((await fixture.visit(before)).body).toBe('old');
    // Every leader reconciles first, which does not change the roll in progress.
    await fixture.runtime.reconcile([before], new Set([after.rollId]));
    const rolled = fixture.runtime.roll(after, never);
    await waitFor(() =>
      fetch(`http://${started.host ?? '127.0.0.1'}:${started.port}/become/200`).then(
        () => true,
        () => false,
      ),
    );
    await rolled;
    expect((await fixture.records(after)).map(({ id }) => id)).toEqual([started.id]);
    expect(await fixture.runtime.statusOf(after.webServiceId)).toMatchObject({ rollId: after.rollId, healthy: 1 });
    expect((await fixture.visit(after)).status).toBe(200);
  });

  it('at any moment of a roll, the next run reaches the expected state, and leaves no orphaned process or record', async () => {
    const before = await runs(server.answering('old'), { minInstances: 2, maxInstances: 2 });
    for (let moment = 0; moment < 12; moment += 1) {
      const after = await fixture.plan(server.answering('new'), {
        webServiceId: before.webServiceId,
        minInstances: 2,
        maxInstances: 2,
      });
      // Spread over the roll, which makes about 90 file changes.
      await beginUntilChanges(platform, { kind: 'roll', plan: after }, { home: fixture.home, count: 1 + moment * 8 });
      await platform.kill();
      const visit = fixture.visit(before);
      const next = fixture.anotherRuntime();
      await next.reconcile([before], new Set());
      expect((await visit).status).toBe(200);
      await waitFor(async () => {
        const status = await next.statusOf(before.webServiceId);
        return status?.rollId === before.rollId && status.healthy === 2;
      });
      await waitFor(async () => (await fixture.visit(before)).body === 'old', { describe: 'the old answer' });
      await waitFor(async () => (await fixture.instanceRecords.ids()).length === 2, {
        describe: 'two recorded instances',
      });
      const scan = await fixture.processes.scan();
      const prefix = (await fixture.instanceRecords.ids())[0]!.split('-')[0]!;
      expect([...scan.keys()].filter(id => id.startsWith(prefix)).sort()).toEqual(
        [...(await fixture.instanceRecords.ids())].sort(),
      );
      await next.detach();
      platform = await PlatformProcess.start(fixture.home);
      expect(await platform.order({ kind: 'reconcile', plans: [before] })).toBe('done');
    }
  }, 120_000);
});

(canCreateNetworks ? it : it.skip)(
  'An instance in the network of the machine is replaced by one in its own, at the same URL',
  async () => {
    const fixture = await LocalRuntimeFixture.start({ held: 'in one network' });
    const plan = await fixture.plan(server.answering('hello'));
    await fixture.runtime.roll(plan, never);
    const url = await fixture.runtime.urlOf(plan.webServiceId, plan.name);
    const [older] = await fixture.records(plan);
    expect(older).toMatchObject({ port: expect.any(Number) });
    expect(older?.host).toBeUndefined();
    await fixture.runtime.detach();
    const next = await fixture.runtimeHeld('by all means');
    try {
      await next.reconcile([plan], new Set());
      await waitFor(async () => (await fixture.visit(plan)).body === 'hello', { describe: 'the new instance' });
      const [newer] = await fixture.records(plan);
      expect(newer).toMatchObject({ host: expect.stringMatching(/^10\./), port: plan.port });
      expect(await next.urlOf(plan.webServiceId, plan.name)).toBe(url);
      expect(processEntry(older!.process!.pid)).toBeUndefined();
      await next.reconcile([], new Set());
      expect(await fixture.networkIds()).toEqual([]);
    } finally {
      await next.detach();
      await fixture.stop();
    }
  },
);
