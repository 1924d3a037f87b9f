import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createWebhook,
  listDeliveries,
  type OutcomeKind,
  removeWebhook,
  replayDelivery,
  replaySince,
  rotateWebhookSecret,
  switchWebhookSecret,
  testWebhook,
  updateWebhook,
} from '@postern/contracts';
import { eventually } from '@postern/testing';
import { DispatchFixture, payloadIn, signatureOf } from '../testing/dispatch-fixture.js';

const world = await DispatchFixture.start();
afterAll(() => world.stop());

const register = async (events: OutcomeKind[] = ['delivered', 'bounced']) => {
  const service_id = randomUUID();
  const path = `/${randomUUID()}`;
  const created = await world.client.request(createWebhook, {
    service_id,
    workspace_id: service_id,
    url: `${world.receiver.url}${path}`,
    events,
  });
  return { service_id, webhook_id: created.id, secret: created.secret, path };
};

const deliveriesOf = (of: { service_id: string; webhook_id: string }) =>
  world.client.request(listDeliveries, { ...of, limit: 100, offset: 0 });

describe('a webhook', () => {
  it('returns a secret that starts with whsec_ once', async () =>
    expect((await register()).secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/));

  it('receives an event in the specified form, signed over the raw bytes', async () => {
    const { service_id, secret } = await register();
    const call = await world.requestFor(await world.publish('delivered', service_id));

    expect(payloadIn(call.body)).toEqual({
      event: 'delivered',
      email_id: expect.any(String),
      service_id,
      to: 'ada@customers.test',
      from: 'Shop <orders@shop.test>',
      subject: 'Your receipt',
      timestamp: '2026-01-02T03:04:05.678Z',
      data: { smtp_response: '250 2.0.0 queued' },
    });
    expect(call.headers['content-type']).toBe('application/json');
    expect(call.headers['x-service-signature']).toBe(signatureOf(secret, call));
    expect(Math.abs(Number(call.headers['x-service-timestamp']) - Date.now() / 1000)).toBeLessThan(5);
  });

  it('receives the kinds it has subscribed to and no others', async () => {
    const { service_id, webhook_id } = await register(['bounced']);
    await world.publish('delivered', service_id);
    await world.requestFor(await world.publish('bounced', service_id));

    expect((await deliveriesOf({ service_id, webhook_id })).items.map(({ payload }) => payload.event)).toEqual([
      'bounced',
    ]);
  });

  it('receives an event once that is published twice', async () => {
    const target = await register();
    const eventId = randomUUID();
    await world.requestFor(await world.publish('delivered', target.service_id, undefined, eventId));
    await world.publish('bounced', target.service_id, undefined, eventId);
    await world.requestFor(await world.publish('bounced', target.service_id));

    expect((await deliveriesOf(target)).total).toBe(2);
  });

  it('keeps its old secret until the owner switches to the next one', async () => {
    const target = await register();
    const { secret: next } = await world.client.request(rotateWebhookSecret, target);
    const before = await world.requestFor(await world.publish('delivered', target.service_id));
    expect(before.headers['x-service-signature']).toBe(signatureOf(target.secret, before));

    await world.client.request(switchWebhookSecret, target);
    const after = await world.requestFor(await world.publish('delivered', target.service_id));
    expect(after.headers['x-service-signature']).toBe(signatureOf(next, after));
    await expect(world.client.request(switchWebhookSecret, target)).rejects.toMatchObject({ code: 'no_next_secret' });
  });

  it('receives a test event of the chosen kind', async () => {
    const target = await register();
    const { state, payload, attempts } = await world.client.request(testWebhook, { ...target, event: 'clicked' });

    expect({ state, attempts: attempts.length }).toEqual({ state: 'accepted', attempts: 1 });
    expect(payload).toMatchObject({
      event: 'clicked',
      email_id: '00000000-0000-0000-0000-000000000000',
      data: { test: true },
    });
  });

  it('receives nothing after it is removed', async () => {
    const target = await register();
    await world.client.request(removeWebhook, target);
    await expect(world.client.request(testWebhook, { ...target, event: 'opened' })).rejects.toMatchObject({
      code: 'webhook_not_found',
    });
  });

  it('cannot be changed by another service', async () => {
    const { webhook_id } = await register();
    await expect(
      world.client.request(updateWebhook, { service_id: randomUUID(), webhook_id, changes: { enabled: false } }),
    ).rejects.toMatchObject({ code: 'webhook_not_found' });
  });
});

describe('a response', () => {
  const respondingWith = async (status: number, headers: Record<string, string> = {}) => {
    const target = await register();
    const answer = { status, headers, body: `answer ${status}` };
    world.receiver.answerWith(({ url }) => (url.startsWith(target.path) ? answer : {}));
    await world.requestFor(await world.publish('delivered', target.service_id));
    const { items } = await eventually(async () => {
      const page = await deliveriesOf(target);
      expect(page.items[0]?.attempts).toHaveLength(1);
      return page;
    });
    return items[0];
  };

  it('of 4xx is final, and its head is stored', async () =>
    expect(await respondingWith(404)).toMatchObject({
      state: 'refused',
      next_attempt_at: null,
      attempts: [{ number: 1, outcome: 'refused', status: 404, response_head: 'answer 404' }],
    }));

  it.each([
    [429, 'rate_limited', 'the endpoint answered 429 (too many requests)'],
    [408, 'timed_out', 'the endpoint answered 408 (request timeout)'],
    [404, 'rejected', 'the endpoint answered 404'],
  ])('of %d is final and shown as what it is', async (status, refusal, reason) =>
    expect(await respondingWith(status)).toMatchObject({ state: 'refused', next_attempt_at: null, refusal, reason }),
  );

  it.each([
    ['600', 600],
    [String(40 * 3_600), 24 * 3_600],
  ])('of 503 with Retry-After %s is retried then, within a day', async (header, seconds) => {
    const delivery = await respondingWith(503, { 'retry-after': header });
    expect(delivery).toMatchObject({ state: 'pending', refusal: null });
    const pauseS = (Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.created_at ?? '')) / 1_000;
    expect(pauseS).toBeGreaterThanOrEqual(seconds - 1);
    expect(pauseS).toBeLessThan(seconds + 5);
  });

  it('of 429 can be replayed with all other refused events, and those that wait are left alone', async () => {
    const target = await register();
    world.receiver.answerWith(({ url }) => (url.startsWith(target.path) ? { status: 429 } : {}));
    for (let n = 0; n < 3; n += 1) await world.publish('delivered', target.service_id);
    await eventually(async () => {
      const { items } = await deliveriesOf(target);
      expect(items.filter(({ state }) => state === 'refused')).toHaveLength(3);
    });
    world.receiver.answerWith({});
    const since = new Date(Date.now() - 60_000).toISOString();
    const { service_id, webhook_id } = target;
    const replay = { service_id, webhook_id, since } as const;
    expect(await world.client.request(replaySince, { ...replay, state: 'dropped' })).toEqual({ replayed: 0 });
    expect(await world.client.request(replaySince, { ...replay, state: 'refused' })).toEqual({ replayed: 3 });
    await eventually(async () => {
      const { items } = await deliveriesOf(target);
      expect(items.filter(({ state }) => state === 'accepted')).toHaveLength(3);
    });
  });

  it('of 5xx is retried about five seconds later', async () => {
    const delivery = await respondingWith(503);
    expect(delivery).toMatchObject({ state: 'pending', attempts: [{ outcome: 'retry', status: 503 }] });
    const pause = Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.attempts[0]?.at ?? '');
    expect(pause).toBeGreaterThan(3_500);
    expect(pause).toBeLessThan(7_500);
  });

  it('and the time of the next attempt are read in one snapshot', async () => {
    const target = await register(['delivered']);
    world.receiver.answerWith(({ url }) => (url.startsWith(target.path) ? { status: 503 } : {}));
    const published = Promise.all(Array.from({ length: 40 }, () => world.publish('delivered', target.service_id)));
    for (let attempted = 0; attempted < 40; ) {
      const once = (await deliveriesOf(target)).items.filter(({ attempts }) => attempts.length === 1);
      attempted = once.length;
      for (const { attempts, next_attempt_at } of once)
        expect(Date.parse(next_attempt_at ?? '')).toBeGreaterThan(Date.parse(attempts[0]?.at ?? ''));
    }
    await published;
  });

  it('of 3xx is not followed', async () =>
    expect(await respondingWith(302)).toMatchObject({
      state: 'pending',
      attempts: [{ outcome: 'retry', status: 302 }],
    }));

  it('that never arrives does not delay other endpoints', async () => {
    const hanging = await register();
    const healthy = await register();
    world.receiver.answerWith(({ url }) => (url.startsWith(hanging.path) ? { behaviour: 'hang' } : {}));
    for (let n = 0; n < 50; n++) await world.publish('delivered', hanging.service_id);
    const began = Date.now();
    await world.requestFor(await world.publish('delivered', healthy.service_id));
    expect(Date.now() - began).toBeLessThan(2_000);
  });
});

describe('a disabled webhook', () => {
  it('has its events held until it is enabled, and then replayed', async () => {
    const target = await register();
    const since = new Date(Date.now() - 1_000).toISOString();
    await world.client.request(updateWebhook, { ...target, changes: { enabled: false } });
    const missed = await world.publish('delivered', target.service_id);
    await eventually(async () => expect((await deliveriesOf(target)).items[0]?.state).toBe('held'));

    await world.client.request(updateWebhook, { ...target, changes: { enabled: true } });
    expect(await world.client.request(replaySince, { ...target, since })).toEqual({ replayed: 1 });
    await world.requestFor(missed);
    expect(await world.client.request(replaySince, { ...target, since })).toEqual({ replayed: 0 });
  });
});

describe('a replay', () => {
  it('is a new delivery of the same bytes', async () => {
    const target = await register();
    const emailId = await world.publish('delivered', target.service_id);
    const first = await world.requestFor(emailId);
    const original = (await deliveriesOf(target)).items[0];
    const replayed = await world.client.request(replayDelivery, { ...target, delivery_id: original?.id ?? '' });
    const second = await world.requestFor(emailId);

    expect(replayed).toMatchObject({ replay_of: original?.id, payload: original?.payload });
    expect(second.body.equals(first.body)).toBe(true);
  });
});
