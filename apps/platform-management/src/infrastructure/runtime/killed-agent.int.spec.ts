import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BuildOrder, RuntimeUnavailable, type ServicePlan } from '@postern/runtime';
import { never, processesWith, program, RuntimeDriver } from '@postern/runtime/testing';
import { eventually, waitFor } from '@postern/testing';
import { RemoteHarness } from './testing/remote-harness.js';

let harness: RemoteHarness;
const driver = new RuntimeDriver();
beforeAll(async () => {
  harness = await RemoteHarness.start();
  await driver.start(async () => harness);
}, 120_000);
afterAll(() => driver.stop(), 120_000);

const { build } = driver;

const buildOrder = (buildCommand: string, changes: Partial<BuildOrder> = {}) =>
  driver.orderOf({ 'server.mjs': program.respondingUniquely }, { buildCommand, ...changes });

const planOf = async ({ artefact, ...changes }: Partial<ServicePlan> = {}): Promise<ServicePlan> =>
  driver.planOf(program.respondingUniquely, {
    artefact: artefact ?? (await build(await buildOrder('true'))),
    ...changes,
  });

const messagesOf = async (webServiceId: string): Promise<readonly string[]> =>
  (await harness.runtime.logs(webServiceId, { tail: 1_000, since: undefined })).map(({ message }) => message);

const answerOf = async ({ webServiceId, name }: ServicePlan) =>
  (await harness.request(await harness.runtime.urlOf(webServiceId, name))).body;

/** Whether the promise settles within 300 ms. */
const stateOf = async (work: Promise<unknown>): Promise<'pending' | 'settled'> => {
  const settled = work.then(
    () => 'settled' as const,
    () => 'settled' as const,
  );
  return Promise.race([settled, pause(300, 'pending' as const)]);
};

describe('when the agent is killed', () => {
  it('before an order, the order waits until the agent is restarted', async () => {
    const plan = await planOf();
    await harness.agent.kill();
    const rolling = harness.runtime.roll(plan, never);
    expect(await stateOf(rolling)).toBe('pending');
    expect(await harness.runtime.isReachable()).toBe(false);
    await expect(harness.runtime.logs(plan.webServiceId, { tail: 1, since: undefined })).rejects.toBeInstanceOf(
      RuntimeUnavailable,
    );
    await expect(harness.runtime.reconcile([plan], new Set())).rejects.toBeInstanceOf(RuntimeUnavailable);
    await harness.agent.start();
    await rolling;
    expect(await harness.runtime.isReachable()).toBe(true);
    expect(await answerOf(plan)).toMatch(/^[0-9a-f-]{36}$/);
  }, 60_000);

  it('during a build, the build is started again and no process of the first build runs', async () => {
    const mark = randomUUID();
    const order = await buildOrder(`echo begun; if [ -e ../${mark} ]; then exit 0; fi; sleep 2`, {
      environment: { MARK: mark },
    });
    const building = build(order);
    await waitFor(async () => (await messagesOf(order.webServiceId)).includes('begun'));
    const first = await processesWith({ variable: mark });
    expect(first.length).toBeGreaterThan(0);
    await harness.agent.kill();
    await harness.agent.start();
    const second = await processesWith({ variable: mark });
    expect(second.filter(pid => first.includes(pid))).toEqual([]);
    expect(await building).toMatchObject({ commit: order.commit });
    expect((await messagesOf(order.webServiceId)).filter(message => message === 'begun')).toHaveLength(2);
  }, 60_000);

  it('during a build that is cancelled before the restart, no process of the build runs afterwards', async () => {
    const mark = randomUUID();
    const order = await buildOrder('echo begun; sleep 600', { environment: { MARK: mark } });
    const cancel = new AbortController();
    const building = build(order, cancel.signal);
    const ended = expect(building).rejects.toThrow('changed my mind');
    await waitFor(async () => (await messagesOf(order.webServiceId)).includes('begun'));
    await harness.agent.kill();
    cancel.abort(new Error('changed my mind'));
    await harness.agent.start();
    await ended;
    await eventually(async () => expect(await processesWith({ variable: mark })).toEqual([]));
  }, 60_000);

  it('during a roll-out, the roll-out ends with the new release and one instance', async () => {
    const before = await planOf();
    await harness.runtime.roll(before, never);
    const after = await planOf({ webServiceId: before.webServiceId });
    const rolling = harness.runtime.roll(after, never);
    await pause(150);
    await harness.agent.kill();
    await harness.agent.start();
    await rolling;
    expect(await harness.runtime.statusOf(after.webServiceId)).toMatchObject({ rollId: after.rollId, instances: 1 });
  }, 60_000);

  it('while log lines are written, each line is stored once', async () => {
    const webServiceId = randomUUID();
    const writer = harness.runtime.logWriter(webServiceId, 'platform', []);
    for (let number = 0; number < 30; number += 1) {
      writer.write('platform', `line ${number}\n`);
      if (number === 10) void harness.agent.kill().then(() => harness.agent.start());
      await pause(20);
    }
    await writer.close();
    const expected = Array.from({ length: 30 }, (_, number) => `line ${number}`);
    expect(await messagesOf(webServiceId)).toEqual(expected);
  }, 60_000);
});

describe('when two processes of the control plane send orders for the same web service', () => {
  it('the later order interrupts the earlier one, which completes after the later one', async () => {
    const order = await buildOrder('echo begun; sleep 2');
    const building = build(order);
    await waitFor(async () => (await messagesOf(order.webServiceId)).includes('begun'));
    const another = await harness.connectAnother();
    const output = another.runtime.logWriter(order.webServiceId, 'build', []);
    await another.runtime.build({ ...order, buildCommand: 'echo other' }, output, never);
    await output.close();
    await another.close();
    expect(await building).toMatchObject({ commit: order.commit });
    const messages = await messagesOf(order.webServiceId);
    expect(messages.filter(message => ['begun', 'other'].includes(message))).toEqual(['begun', 'other']);
  }, 60_000);
});

describe('when the control plane is killed', () => {
  it('during a build, the reconciliation of the next process stops the build', async () => {
    const mark = randomUUID();
    const order = await buildOrder('echo begun; sleep 600', { environment: { MARK: mark } });
    const building = build(order).catch(() => 'gone');
    await waitFor(async () => (await messagesOf(order.webServiceId)).includes('begun'));
    await harness.restartClient();
    await building;
    expect((await processesWith({ variable: mark })).length).toBeGreaterThan(0);
    await harness.runtime.reconcile([], new Set());
    expect(await processesWith({ variable: mark })).toEqual([]);
  }, 60_000);

  it('during a roll-out that the next process continues, the same instances become the release', async () => {
    const silentFirst = `
      import { createServer } from 'node:http';
      setTimeout(() => createServer((_, response) => response.end(String(process.pid))).listen(Number(process.env.PORT)), 3_000);
      process.on('SIGTERM', () => process.exit(0));
      console.log('here I am');`;
    const repositoryUrl = await harness.makeRepository({ 'server.mjs': silentFirst });
    const { commit } = await harness.runtime.resolveSource({ repositoryUrl, branch: undefined }, never);
    const artefact = await build({ ...(await buildOrder('true')), repositoryUrl, commit });
    const plan = await planOf({ artefact });
    const first = harness.runtime.roll(plan, never).catch(() => 'gone');
    await waitFor(async () => (await messagesOf(plan.webServiceId)).includes('here I am'));
    await harness.restartClient();
    await first;
    await harness.runtime.reconcile([], new Set([plan.rollId]));
    await harness.runtime.roll({ ...plan, deadlineMs: 20_000 }, never);
    expect((await messagesOf(plan.webServiceId)).filter(message => message === 'here I am')).toHaveLength(1);
    expect(await answerOf(plan)).toMatch(/^\d+$/);
  }, 60_000);
});

it('an order of several hundred kilobytes reaches the agent', async () => {
  const environment = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`LARGE_${index}`, `${index}`.repeat(30_000)]),
  );
  const artefact = await build(await buildOrder('true'));
  const plans = await Promise.all(
    Array.from({ length: 3 }, () => planOf({ artefact, environment: { PATH: '/usr/bin', ...environment } })),
  );
  // The kernel limits the size of an environment; plans of services that are rolling out are sent but not started.
  await harness.runtime.reconcile(plans, new Set(plans.map(({ webServiceId }) => webServiceId)));
}, 60_000);
