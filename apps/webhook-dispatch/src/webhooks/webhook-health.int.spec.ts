import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createWebhook, getWebhook, listWebhookProblems, listWebhooks, updateWebhook } from '@postern/contracts';
import { eventually } from '@postern/testing';
import { DispatchFixture } from '../testing/dispatch-fixture.js';
import { WebhookRepository } from './webhook-repository.js';

const world = await DispatchFixture.start();
afterAll(() => world.stop());

const register = async () => {
  const service_id = randomUUID();
  const path = `/${randomUUID()}`;
  const url = `${world.receiver.url}${path}`;
  const { id: webhook_id } = await world.client.request(createWebhook, {
    service_id,
    workspace_id: service_id,
    url,
    events: ['delivered'],
  });
  return { service_id, webhook_id, path, url };
};
type Target = Awaited<ReturnType<typeof register>>;
const answering = (target: Target, status: number) =>
  world.receiver.answerWith(({ url }) => (url.startsWith(target.path) ? { status } : {}));
const deliver = async ({ service_id }: Target) => world.requestFor(await world.publish('delivered', service_id));
const healthOf = async ({ service_id, webhook_id }: Target) =>
  (await world.client.request(getWebhook, { service_id, webhook_id })).health;
const problemsOf = async ({ service_id }: Target) =>
  (await world.client.request(listWebhookProblems, { services: [{ id: service_id, name: 'Shop' }] })).problems;

describe('the health of a webhook', () => {
  it('is good before the first event and after accepted ones', async () => {
    const target = await register();
    expect(await healthOf(target)).toEqual({
      state: 'healthy',
      attempted_24h: 0,
      failed_24h: 0,
      failing_since: null,
      last_attempt: null,
      next_attempt_at: null,
    });
    answering(target, 204);
    await deliver(target);
    const health = await eventually(async () => {
      const found = await healthOf(target);
      expect(found?.attempted_24h).toBe(1);
      return found;
    });
    expect(health).toMatchObject({
      state: 'healthy',
      failed_24h: 0,
      last_attempt: { outcome: 'accepted', status: 204, error: null },
    });
    expect(await problemsOf(target)).toEqual([]);
  });

  it('is failing after several refused events, with the last answer, and good after an accepted one', async () => {
    const target = await register();
    answering(target, 404);
    for (let count = 0; count < 3; count += 1) await deliver(target);
    await eventually(async () => {
      expect(await healthOf(target)).toMatchObject({
        state: 'failing',
        attempted_24h: 3,
        failed_24h: 3,
        failing_since: expect.any(String),
        last_attempt: { outcome: 'refused', status: 404 },
      });
    });
    const { service_id, webhook_id, url } = target;
    expect(await problemsOf(target)).toEqual([
      {
        kind: 'webhook_failing',
        severity: 'error',
        message: `The webhook ${url} of “Shop” fails: 3 of 3 events of the last 24 hours were not accepted. The last answer was: status 404.`,
        fix: expect.any(String),
        page: `/services/${service_id}/webhooks/${webhook_id}`,
        resource: { type: 'webhook', id: webhook_id, name: url },
        since: expect.any(String),
      },
    ]);

    answering(target, 200);
    await deliver(target);
    await eventually(async () =>
      expect(await healthOf(target)).toMatchObject({ state: 'degraded', failing_since: null }),
    );
    expect(await problemsOf(target)).toEqual([]);
  });

  it('tells when an event is sent again', async () => {
    const target = await register();
    answering(target, 503);
    await deliver(target);
    await eventually(async () =>
      expect(await healthOf(target)).toMatchObject({
        failed_24h: 1,
        last_attempt: { outcome: 'retry', status: 503 },
        next_attempt_at: expect.any(String),
      }),
    );
    const [listed] = await world.client.request(listWebhooks, { service_id: target.service_id });
    expect(listed?.health).toMatchObject({ failed_24h: 1 });
  });

  it('is a problem when Postern disabled the webhook, and none when its owner did', async () => {
    const target = await register();
    const { service_id, webhook_id } = target;
    const repository = world.service.app.get(WebhookRepository, { strict: false });
    await repository.disable(webhook_id, 'every attempt has failed since 2026-01-01T00:00:00.000Z');
    await eventually(async () =>
      expect(await problemsOf(target)).toMatchObject([
        { kind: 'webhook_disabled', message: expect.stringContaining('because every attempt has failed since 2026') },
      ]),
    );
    await world.client.request(updateWebhook, { service_id, webhook_id, changes: { enabled: true } });
    await world.client.request(updateWebhook, { service_id, webhook_id, changes: { enabled: false } });
    expect(await problemsOf(target)).toEqual([]);
    expect(await world.client.request(listWebhookProblems, { services: [] })).toEqual({ problems: [] });
  });
});
