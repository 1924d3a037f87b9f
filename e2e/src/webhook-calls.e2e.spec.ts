import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, type ReceivedRequest, startHttpReceiver, type TestHttpReceiver } from '@postern/testing';
import { sharedWorld } from './stories.js';
import { signatureOf, type WebhookEvent } from './world.js';

const receivers: TestHttpReceiver[] = [];
const webhookIds: string[] = [];

const world = await sharedWorld();
const sender = await world.sender('Shop', 'shop.test');

afterEach(async () => {
  // A service can have at most 20 webhooks.
  for (const id of webhookIds.splice(0)) await world.callDashboardApi('DELETE', `${sender.path}/webhooks/${id}`);
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

describe('registration', () => {
  it('shows the signing secret, with the prefix whsec_, once', async () => {
    const created = await world.callDashboardApi('POST', `${sender.path}/webhooks`, {
      url: 'https://hooks.test/events',
      events: ['bounced', 'complained'],
    });

    expect(created).toMatchObject({
      status: 201,
      body: {
        url: 'https://hooks.test/events',
        events: ['bounced', 'complained'],
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/=_-]{32,}$/),
      },
    });
    const secret = created.body['secret'] as string;
    const one = await world.callDashboardApi('GET', `${sender.path}/webhooks/${created.body['id']}`);
    const all = await world.callDashboardApi('GET', `${sender.path}/webhooks`);
    expect(one.body).toMatchObject({ url: 'https://hooks.test/events', enabled: true });
    expect(JSON.stringify([one.body, all.body])).not.toContain(secret.slice('whsec_'.length));
  });

  it.each([
    ['no URL', { url: 'hooks', events: ['bounced'] }, /url/],
    ['a URL of another scheme', { url: 'ftp://hooks.test/', events: ['bounced'] }, /url/],
    ['credentials in the URL', { url: 'https://user:secret@hooks.test/', events: ['bounced'] }, /url/],
    ['no event kind', { url: 'https://hooks.test/', events: [] }, /events/],
    ['an unknown event kind', { url: 'https://hooks.test/', events: ['sent'] }, /events/],
  ])('%s: 400', async (_, body, names) => {
    expect(await world.callDashboardApi('POST', `${sender.path}/webhooks`, body)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(names) },
    });
  });
});

describe('a call', () => {
  it('is a POST of JSON with X-Service-Timestamp and X-Service-Signature over the raw bytes', async () => {
    const { receiver, secret } = await endpoint();
    const { body } = await sender.send({ ...MAIL, subject: 'Grüße ✓' });
    const call = await callAbout(receiver, body['id']);

    expect(call.method).toBe('POST');
    expect(call.url).toBe('/events');
    expect(call.headers['content-type']).toMatch(/^application\/json/);
    expect(call.headers['x-service-timestamp']).toMatch(/^\d{10}$/);
    expect(call.headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(call.headers['x-service-signature']).toBe(signatureOf(secret, call));
    expect(signatureOf(secret, { ...call, body: Buffer.concat([call.body, Buffer.from(' ')]) })).not.toBe(
      call.headers['x-service-signature'],
    );
    expect(eventOf(call)).toMatchObject({ event: 'delivered', subject: 'Grüße ✓', service_id: sender.serviceId });
  });

  it('that is repeated has the same body, a new timestamp and a new signature', async () => {
    const { receiver, secret, id } = await endpoint();
    receiver.answerNext({ status: 503 });
    const { body } = await sender.send(MAIL);
    await deliveryOf(id, { state: 'accepted' });
    const [first, second] = receiver.requests.filter(call => eventOf(call).email_id === body['id']);

    expect(second?.body).toEqual(first?.body);
    expect(Number(second?.headers['x-service-timestamp'])).toBeGreaterThan(
      Number(first?.headers['x-service-timestamp']),
    );
    expect(second?.headers['x-service-signature']).toBe(signatureOf(secret, second as ReceivedRequest));
  }, 40_000);

  it('reports only events of the endpoint’s own email service', async () => {
    const other = await world.sender('Other', 'other.test');
    const { receiver } = await endpoint();
    const ofOther = await other.send({ ...MAIL, from: 'a@other.test' });
    await other.event('delivered', ofOther.body['id'] as string);
    const { body } = await sender.send(MAIL);
    await callAbout(receiver, body['id']);

    expect(receiver.requests.map(call => eventOf(call).service_id)).toEqual([sender.serviceId]);
  });
});

describe('a response', () => {
  it('of 4xx is final', async () => {
    const { receiver, id } = await endpoint();
    receiver.answerWith({ status: 401 });
    await sender.send(MAIL);

    expect(await deliveryOf(id, { state: 'refused' })).toMatchObject({
      next_attempt_at: null,
      attempts: [{ number: 1, status: 401, outcome: 'refused' }],
    });
  });

  it('of 2xx is accepted and its body ignored', async () => {
    const { receiver, id } = await endpoint();
    receiver.answerWith({ status: 202, body: '{"error":"ignore me"}' });
    await sender.send(MAIL);

    expect(await deliveryOf(id, { state: 'accepted' })).toMatchObject({
      attempts: [{ status: 202, outcome: 'accepted' }],
    });
  });

  it('of 3xx is not followed and causes a retry', async () => {
    const elsewhere = await startHttpReceiver();
    receivers.push(elsewhere);
    const { receiver, id } = await endpoint();
    receiver.answerWith({ status: 307, headers: { location: elsewhere.url } });
    await sender.send(MAIL);

    await expectRetry(id, { status: 307, outcome: 'retry' });
    expect(elsewhere.requests).toEqual([]);
  });

  it('of 5xx causes a retry, about 5 seconds later', async () => {
    const { receiver, id } = await endpoint();
    receiver.answerWith({ status: 500, body: 'database is down' });
    await sender.send(MAIL);

    await expectRetry(id, { status: 500, outcome: 'retry', response_head: 'database is down' });
  });

  it('that never comes because the connection breaks causes a retry', async () => {
    const { receiver, id } = await endpoint();
    receiver.answerWith({ behaviour: 'drop' });
    await sender.send(MAIL);

    await expectRetry(id, { status: null, outcome: 'retry', error: expect.any(String) });
  });

  it('that takes over 10 seconds causes a retry, and delays no other endpoint', async () => {
    const hanging = await endpoint();
    hanging.receiver.answerWith({ behaviour: 'hang' });
    const prompt = await endpoint();
    const startedAt = Date.now();
    const sent = await Promise.all(Array.from({ length: 20 }, () => sender.send(MAIL)));
    for (const { body } of sent) await callAbout(prompt.receiver, body['id']);

    expect(Date.now() - startedAt).toBeLessThan(8_000);
    const hung = await eventually(
      async () => {
        const [attempt] = (await deliveriesTo(hanging.id)).flatMap(({ attempts }) => attempts);
        expect(attempt).toMatchObject({ status: null, outcome: 'retry', error: expect.any(String) });
        return attempt as Attempt;
      },
      { timeoutMs: 20_000 },
    );
    expect(Math.abs(hung.latency_ms - 10_000)).toBeLessThan(1_500);
  }, 40_000);
});

describe('secrets', () => {
  it('a rotated secret is shown once and signs from the switch on; until then the old one does', async () => {
    const { receiver, id, secret } = await endpoint();
    const callOfNextMessage = async () => callAbout(receiver, (await sender.send(MAIL)).body['id']);
    const secretPath = `${sender.path}/webhooks/${id}/secret`;
    expect((await world.callDashboardApi('POST', `${secretPath}/switch`)).status).toBe(409);

    const rotated = await world.callDashboardApi('POST', `${secretPath}/rotate`);
    const next = rotated.body['secret'] as string;
    expect(next).toMatch(/^whsec_/);
    expect(next).not.toBe(secret);
    expect((await world.callDashboardApi('GET', `${sender.path}/webhooks/${id}`)).body).toMatchObject({
      next_secret_ready: true,
    });
    const before = await callOfNextMessage();
    expect(before.headers['x-service-signature']).toBe(signatureOf(secret, before));

    expect((await world.callDashboardApi('POST', `${secretPath}/switch`)).status).toBe(200);
    const after = await callOfNextMessage();
    expect(after.headers['x-service-signature']).toBe(signatureOf(next, after));
  });
});

describe('a test event', () => {
  it.each(['delivered', 'bounced', 'complained', 'opened', 'clicked'])(
    'of kind %s is signed and logged like any other',
    async event => {
      const { receiver, id, secret } = await endpoint();
      const tested = await world.callDashboardApi('POST', `${sender.path}/webhooks/${id}/test`, { event });
      const call = await receiver.nextRequest();

      expect(tested).toMatchObject({ status: 200, body: { state: 'accepted', attempts: [{ status: 200 }] } });
      expect(eventOf(call)).toMatchObject({ event, email_id: NO_EMAIL, data: { test: true } });
      expect(call.headers['x-service-signature']).toBe(signatureOf(secret, call));
      expect((await deliveriesTo(id)).map(({ payload }) => payload.email_id)).toEqual([NO_EMAIL]);
    },
  );
});

describe('a disabled endpoint', () => {
  it('gets no calls; its events are held, and replayed since a time once it is enabled again', async () => {
    const { receiver, id } = await endpoint();
    const since = new Date().toISOString();
    const path = `${sender.path}/webhooks/${id}`;
    await world.dashboard.patch(path, { enabled: false });
    const missed = [await sender.send(MAIL), await sender.send(MAIL)].map(({ body }) => body['id']);
    await eventually(async () => expect((await deliveriesTo(id)).map(({ state }) => state)).toEqual(['held', 'held']));
    expect(receiver.requests).toEqual([]);
    expect((await world.callDashboardApi('GET', path)).body).toMatchObject({
      enabled: false,
      disabled_reason: expect.any(String),
    });
    expect((await world.callDashboardApi('POST', `${path}/test`, { event: 'opened' })).status).toBe(409);

    await world.dashboard.patch(path, { enabled: true });
    expect(await world.dashboard.post(`${path}/replay`, { since })).toEqual({ replayed: 2 });
    for (const emailId of missed) await callAbout(receiver, emailId);
  });

  it('that was removed gets no further calls', async () => {
    const removed = await endpoint();
    const otherEndpoint = await endpoint();
    await world.dashboard.delete(`${sender.path}/webhooks/${removed.id}`);
    await callAbout(otherEndpoint.receiver, (await sender.send(MAIL)).body['id']);

    expect(removed.receiver.requests).toEqual([]);
    expect((await world.callDashboardApi('GET', `${sender.path}/webhooks/${removed.id}`)).status).toBe(404);
  });
});

const NO_EMAIL = '00000000-0000-0000-0000-000000000000';
const MAIL = { from: 'Shop <orders@shop.test>', to: ['ada@customers.test'], subject: 'Your receipt', text: 'Thanks.' };

interface Attempt {
  readonly status: number | null;
  readonly outcome: string;
  readonly latency_ms: number;
  readonly at: string;
}

interface Delivery {
  readonly state: string;
  readonly payload: WebhookEvent;
  readonly next_attempt_at: string | null;
  readonly attempts: readonly Attempt[];
}

const eventOf = ({ body }: ReceivedRequest) => JSON.parse(body.toString('utf8')) as WebhookEvent;

/** Registers a new endpoint of the shop for deliveries and tests. */
const endpoint = async () => {
  const receiver = await startHttpReceiver();
  receivers.push(receiver);
  const { id, secret } = await world.dashboard.post<{ id: string; secret: string }>(`${sender.path}/webhooks`, {
    url: `${receiver.url}/events`,
    events: ['delivered'],
  });
  webhookIds.push(id);
  return { receiver, id, secret };
};

const callAbout = (receiver: TestHttpReceiver, emailId: unknown) =>
  receiver.nextRequest(call => eventOf(call).email_id === emailId);

const deliveriesTo = async (webhookId: string) =>
  (await world.dashboard.get<{ items: Delivery[] }>(`${sender.path}/webhooks/${webhookId}/deliveries`)).items;

/** Waits until the newest delivery of the endpoint matches. */
const deliveryOf = (webhookId: string, expected: Partial<Delivery>) =>
  eventually(
    async () => {
      const [delivery] = await deliveriesTo(webhookId);
      expect(delivery).toMatchObject(expected);
      return delivery as Delivery;
    },
    { timeoutMs: 15_000 },
  );

const expectRetry = async (webhookId: string, attempt: object) => {
  const delivery = await eventually(async () => {
    const [newest] = await deliveriesTo(webhookId);
    expect(newest).toMatchObject({ state: 'pending', attempts: [attempt] });
    return newest as Delivery;
  });
  const pauseMs = Date.parse(delivery.next_attempt_at as string) - Date.parse(delivery.attempts[0]?.at as string);
  expect(pauseMs).toBeGreaterThanOrEqual(4_000);
  expect(pauseMs).toBeLessThan(7_000);
};
