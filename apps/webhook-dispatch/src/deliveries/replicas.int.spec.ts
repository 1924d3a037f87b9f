import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWebhook } from '@postern/contracts';
import { eventually, waitFor } from '@postern/testing';
import { DispatchFixture, payloadIn } from '../testing/dispatch-fixture.js';
import { type DispatcherProcess, liveDispatchers, startDispatcher } from '../testing/dispatcher-process.js';

let world: DispatchFixture;
let replicas: DispatcherProcess[];

beforeAll(async () => {
  world = await DispatchFixture.start();
  replicas = [];
}, 60_000);
afterAll(async () => {
  for (const replica of replicas) await replica.stop();
  await world.stop();
});

const start = async (): Promise<DispatcherProcess> => {
  const replica = await startDispatcher(world.environment);
  replicas.push(replica);
  return replica;
};

interface Settings {
  readonly rate_limit?: number;
  readonly ordered?: boolean;
}

/** Webhooks of separate workspaces, so that they belong to several partitions. */
const register = async (count: number, settings: Settings = {}) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const service_id = randomUUID();
      const path = `/${randomUUID()}`;
      const url = `${world.receiver.url}${path}`;
      await world.client.request(createWebhook, {
        service_id,
        workspace_id: service_id,
        url,
        events: ['delivered'],
        ...settings,
      });
      return { service_id, path };
    }),
  );

/** Publishes events to each webhook in turn; returns the ids of their messages by path. */
const publish = async (webhooks: Awaited<ReturnType<typeof register>>, rounds: number) => {
  const sent = new Map<string, string[]>(webhooks.map(({ path }) => [path, []]));
  for (let round = 0; round < rounds; round++)
    for (const { service_id, path } of webhooks) sent.get(path)?.push(await world.publish('delivered', service_id));
  return sent;
};

const receivedAt = (path: string) =>
  world.receiver.requests.filter(({ url }) => url === path).map(({ body }) => payloadIn(body).email_id);

const everythingArrived = (sent: ReadonlyMap<string, readonly string[]>, timeoutMs: number) =>
  waitFor(async () => [...sent].every(([path, ids]) => new Set(receivedAt(path)).size === ids.length), {
    timeoutMs,
    describe: 'all events',
  });

describe('Two dispatchers', () => {
  it('hand over their webhooks when one is stopped, without sending an event twice', async () => {
    const webhooks = await register(12, { ordered: true });
    const replica = await start();
    await replica.untilItServes(32);
    const publishing = publish(webhooks, 20);
    await replica.stop();
    const sent = await publishing;
    await everythingArrived(sent, 30_000);
    for (const [path, ids] of sent) expect(receivedAt(path)).toEqual(ids);
  }, 120_000);

  it('lose no event when one is killed, and repeat only what was in progress', async () => {
    const webhooks = await register(12);
    const replica = await start();
    await replica.untilItServes(32);
    const publishing = publish(webhooks, 20);
    await replica.kill();
    const sent = await publishing;
    await everythingArrived(sent, 40_000);
    for (const [path, ids] of sent) {
      const received = receivedAt(path);
      expect(new Set(received)).toEqual(new Set(ids));
      // Eight requests in progress, and 32 that were over and not recorded.
      expect(received.length - ids.length).toBeLessThanOrEqual(40);
    }
  }, 120_000);

  it('do not wait for the lease of one that was killed when its successor starts', async () => {
    const replica = await start();
    await replica.untilItServes(32);
    const live = () => liveDispatchers(world.environment['POSTERN_DATABASE_URL']);
    expect(await live()).toBe(2);
    await replica.kill();
    const successor = await start();
    await successor.untilItServes(32);
    // With the lease of the killed one, there would be three.
    expect(await live()).toBe(2);
    await successor.stop();
  }, 120_000);

  it('do not both send what one of them had read before it was paused', async () => {
    // Each endpoint has more due deliveries than requests in progress, so the paused process holds some that it has not sent.
    world.receiver.answerWith({ delayMs: 300 });
    const webhooks = await register(12);
    const replica = await start();
    await replica.untilItServes(32);
    const publishing = publish(webhooks, 30);
    await waitFor(async () => world.receiver.requests.length > 0);
    replica.pause();
    const inProgress = 12 * 8;
    const sent = await publishing;
    await everythingArrived(sent, 60_000);
    const before = world.receiver.requests.length;
    replica.resume();
    await replica.untilItServes(32);
    world.receiver.answerWith({});
    await eventually(() => expect(world.receiver.requests.length).toBe(before));
    const total = [...sent.keys()].flatMap(receivedAt).length;
    expect(total - 12 * 30).toBeLessThanOrEqual(inProgress);
  }, 180_000);

  it('keep the rate limit of a webhook together, also while it changes hands', async () => {
    const webhooks = await register(8, { rate_limit: 5 });
    const sent = publish(webhooks, 20);
    const replica = await start();
    await replica.untilItServes(32);
    await replica.stop();
    await everythingArrived(await sent, 60_000);
    for (const { path } of webhooks) {
      const times = world.receiver.requests.filter(({ url }) => url === path).map(at => at.receivedAt);
      expect(times).toHaveLength(20);
      // Two replicas with a limit each would send ten at once. Requests of one second and the next may arrive close together.
      for (const at of times)
        expect(times.filter(other => other >= at && other < at + 500).length).toBeLessThanOrEqual(5);
      expect(times.at(-1)! - times[0]!).toBeGreaterThan(2_500);
    }
  }, 120_000);
});
