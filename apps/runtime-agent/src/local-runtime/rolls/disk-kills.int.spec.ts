import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LoadBalancerClient } from '@postern/load-balancer-client';
import { waitFor } from '@postern/testing';
import type { InstanceRecord } from '../instances/instance-record.js';
import { overlapsIn, writing } from '../testing/disk-writer.js';
import { LocalRuntimeFixture } from '../testing/local-runtime-fixture.js';
import { PlatformProcess } from '../testing/platform-process.js';
import { beginUntilChanges } from '../testing/until-changes.js';

const never = new AbortController().signal;

describe('When the platform is killed during a roll with a disk', () => {
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

  it('at any moment, the next run reaches the expected state, and two instances never run together', async () => {
    const disk = { sizeMib: 64 };
    const before = await fixture.plan(writing('old'), { disk });
    const { webServiceId } = before;
    expect(await platform.order({ kind: 'roll', plan: before })).toBe('done');
    for (let moment = 0; moment < 12; moment += 1) {
      const after = await fixture.plan(writing(`new ${moment}`), { webServiceId, disk });
      // Spread over the roll, which makes about 45 file changes.
      await beginUntilChanges(platform, { kind: 'roll', plan: after }, { home: fixture.home, count: 1 + moment * 4 });
      await platform.kill();
      const next = fixture.anotherRuntime();
      // The control plane repeats the roll in half of the cases, and abandons it in the others.
      const repeated = moment % 2 === 0;
      if (repeated) await next.reconcile([before], new Set([after.rollId, webServiceId]));
      if (repeated) await next.roll(after, never);
      else await next.reconcile([before], new Set());
      const expected = repeated ? `new ${moment}` : 'old';
      await waitFor(async () => (await fixture.visit(before)).body === expected, { describe: expected });
      await waitFor(async () => (await fixture.instanceRecords.ids()).length === 1, {
        describe: 'one recorded instance',
      });
      await next.roll({ ...before, rollId: before.rollId }, never);
      await next.detach();
      platform = await PlatformProcess.start(fixture.home);
      expect(await platform.order({ kind: 'reconcile', plans: [before] })).toBe('done');
    }
    expect(overlapsIn((await fixture.visit(before, '/beats')).body).overlaps).toEqual([]);
  }, 180_000);

  it('the expected release is served, even if the last order reaches the load balancer late', async () => {
    const disk = { sizeMib: 64 };
    const expected = await fixture.plan(writing('old'), { disk });
    const { webServiceId } = expected;
    await platform.order({ kind: 'roll', plan: expected });
    const slow = await fixture.plan('setInterval(() => {}, 1_000);', { webServiceId, disk });
    platform.begin({ kind: 'roll', plan: slow });
    const recordOfSlow = async () => (await fixture.records(slow)).find(({ rollId }) => rollId === slow.rollId);
    await waitFor(async () => (await recordOfSlow())?.process !== undefined);
    await platform.kill();
    await fixture.runtime.reconcile([expected], new Set([slow.rollId, webServiceId]));
    const balancer = new LoadBalancerClient(fixture.home);
    const [route] = await balancer.routes();
    const { id, host = '', port = 0 } = (await recordOfSlow()) as InstanceRecord;
    await balancer.switchTo(webServiceId, [{ id, host, port }], (route?.version ?? 0) + 1);
    await fixture.runtime.reconcile([expected], new Set());
    await waitFor(async () => (await fixture.visit(expected)).body === 'old');
  });
});
