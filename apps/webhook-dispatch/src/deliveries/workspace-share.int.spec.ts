import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import { createWebhook, testWebhook } from '@postern/contracts';
import { eventually } from '@postern/testing';
import { DispatchFixture } from '../testing/dispatch-fixture.js';
import { MAX_REQUESTS_OF_WORKSPACE } from './workspace-share.js';

const SERVICES = 8;
const WEBHOOKS_OF_SERVICE = 8;
const EVENTS_OF_SERVICE = 8;

const world = await DispatchFixture.start();
afterAll(() => world.stop());

const webhookAt = async (path: string, service_id: string, workspace_id: string): Promise<string> => {
  const url = `${world.receiver.url}${path}`;
  const events: ['delivered'] = ['delivered'];
  return (await world.client.request(createWebhook, { service_id, workspace_id, url, events })).id;
};

it('A workspace with many email services whose endpoints hang does not delay the webhooks of another one', async () => {
  world.receiver.answerWith(({ url }) => (url === '/hangs' ? { behaviour: 'hang' } : {}));
  const [troubled, healthy, shop] = [randomUUID(), randomUUID(), randomUUID()];
  const services = Array.from({ length: SERVICES }, () => randomUUID());
  for (const service of services)
    for (let n = 0; n < WEBHOOKS_OF_SERVICE; n++) await webhookAt('/hangs', service, troubled);
  await webhookAt('/healthy', shop, healthy);
  for (const service of services) for (let n = 0; n < EVENTS_OF_SERVICE; n++) await world.publish('delivered', service);

  const hanging = () => world.receiver.requests.filter(({ url }) => url === '/hangs');
  await eventually(() => expect(hanging().length).toBe(MAX_REQUESTS_OF_WORKSPACE), { timeoutMs: 8_000 });
  for (let n = 0; n < 5; n++) {
    const at = Date.now();
    const { receivedAt } = await world.requestFor(await world.publish('delivered', shop));
    expect(receivedAt - at).toBeLessThan(2_000);
  }
  // None of the requests that hang is over, so this is how many were in progress at once.
  expect(Date.now() - hanging()[0]!.receivedAt).toBeLessThan(10_000);
  expect(hanging()).toHaveLength(MAX_REQUESTS_OF_WORKSPACE);
}, 60_000);

it('Tests of endpoints that hang are refused above a limit of their email service', async () => {
  world.receiver.answerWith(({ url }) => (url === '/hangs' ? { behaviour: 'hang' } : {}));
  const [service_id, other, workspace] = [randomUUID(), randomUUID(), randomUUID()];
  const webhook_id = await webhookAt('/hangs', service_id, workspace);
  const test = { service_id, webhook_id, event: 'delivered' } as const;
  const tests = Array.from({ length: 5 }, () => world.client.request(testWebhook, test));
  await expect(Promise.any(tests.map(failed))).resolves.toMatchObject({ code: 'tests_in_progress' });
  const healthy = await webhookAt('/healthy', other, workspace);
  const { state } = await world.client.request(testWebhook, { ...test, service_id: other, webhook_id: healthy });
  expect(state).toBe('accepted');
  const outcomes = await Promise.allSettled(tests);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  world.receiver.answerWith({});
  await expect(world.client.request(testWebhook, test)).resolves.toMatchObject({ state: 'accepted' });
}, 60_000);

/** Resolves with the error of a request, and rejects if it succeeds. */
const failed = <T>(request: Promise<T>): Promise<unknown> =>
  request.then(
    () => Promise.reject(new Error('not refused')),
    (error: unknown) => error,
  );
