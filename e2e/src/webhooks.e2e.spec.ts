import { describe, expect, it } from '@jest/globals';
import { eventually, startHttpReceiver } from '@postern/testing';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Shop', 'shop.test');

const MAIL = { from: 'orders@shop.test', to: ['ada@customers.test'], subject: 'Your receipt', text: 'Thanks.' };

interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly payload: { readonly email_id: string; readonly event: string };
  readonly attempts: readonly { readonly status: number; readonly outcome: string }[];
}

const deliveriesTo = async (webhookId: string) =>
  (await world.dashboard.get<{ items: Delivery[] }>(`${sender.path}/webhooks/${webhookId}/deliveries`)).items;

describe('a webhook', () => {
  it('needs at least one event kind', async () =>
    await expect(
      world.dashboard.post(`${sender.path}/webhooks`, { url: 'https://a.test/', events: [] }),
    ).rejects.toThrow('400'));

  it('receives any subset of the kinds', async () => {
    const receiver = await startHttpReceiver();
    await world.dashboard.post(`${sender.path}/webhooks`, { url: receiver.url, events: ['bounced'] });
    await sender.send(MAIL);
    const { body } = await sender.send({ ...MAIL, to: ['hard-bounce@simulator.test'] });
    await receiver.nextRequest(request => JSON.parse(request.body.toString('utf8')).email_id === body['id']);
    const kinds = receiver.requests.map(request => JSON.parse(request.body.toString('utf8')).event);
    await receiver.stop();

    expect(kinds).toEqual(['bounced']);
  });

  it('receives a test event from the dashboard', async () => {
    const tested = await world.dashboard.post<Delivery>(`${sender.path}/webhooks/${sender.webhookId}/test`, {
      event: 'complained',
    });
    expect(tested).toMatchObject({
      state: 'accepted',
      payload: { event: 'complained', email_id: '00000000-0000-0000-0000-000000000000', data: { test: true } },
    });
  });

  it('is called again after a 5xx, and its attempts are shown', async () => {
    const receiver = await startHttpReceiver();
    receiver.answerNext({ status: 500, body: 'not now' });
    const webhook = await world.dashboard.post<{ id: string }>(`${sender.path}/webhooks`, {
      url: receiver.url,
      events: ['delivered'],
    });
    await sender.send(MAIL);
    await eventually(async () => expect((await deliveriesTo(webhook.id))[0]).toMatchObject({ state: 'accepted' }), {
      timeoutMs: 25_000,
    });
    const [delivery] = await deliveriesTo(webhook.id);
    await receiver.stop();

    expect(delivery?.attempts.map(({ status, outcome }) => `${status} ${outcome}`)).toEqual([
      '500 retry',
      '200 accepted',
    ]);
  }, 60_000);

  it('is not called again after a 4xx, until the delivery is replayed', async () => {
    const receiver = await startHttpReceiver();
    receiver.answerNext({ status: 410 });
    const webhook = await world.dashboard.post<{ id: string }>(`${sender.path}/webhooks`, {
      url: receiver.url,
      events: ['delivered'],
    });
    await sender.send(MAIL);
    const refused = await eventually(async () => {
      const [delivery] = await deliveriesTo(webhook.id);
      expect(delivery).toMatchObject({ state: 'refused', attempts: [{ status: 410 }] });
      return delivery as Delivery;
    });
    await world.dashboard.post(`${sender.path}/webhooks/${webhook.id}/deliveries/${refused.id}/replay`, {});
    await eventually(async () =>
      expect((await deliveriesTo(webhook.id))[0]).toMatchObject({ state: 'accepted', replay_of: refused.id }),
    );
    await receiver.stop();
  }, 60_000);
});

describe('the dashboard', () => {
  it('shows the timeline of a message', async () => {
    const { body } = await sender.send({ ...MAIL, to: ['traced@customers.test'] });
    await sender.event('delivered', body['id'] as string);
    await eventually(async () => {
      const { recipients, timeline } = await world.dashboard.get<TrackedEmail>(`${sender.path}/emails/${body['id']}`);
      expect(recipients).toMatchObject([{ address: 'traced@customers.test', role: 'to', state: 'delivered' }]);
      expect(timeline.map(({ kind }) => kind)).toEqual(['accepted', 'handed_over', 'delivered']);
    });
  });

  it('finds messages by a part of an address', async () => {
    await sender.send({ ...MAIL, to: ['needle@customers.test'] });
    await eventually(async () =>
      expect(await world.dashboard.get(`${sender.path}/emails?search=needle`)).toMatchObject({ total: 1 }),
    );
  });

  it('counts the outcomes of messages', async () => {
    const counted = await world.sender('Counted', 'counted.test');
    const from = 'a@counted.test';
    await counted.send({ ...MAIL, from });
    const { body } = await counted.send({ ...MAIL, from, to: ['hard-bounce@simulator.test'] });
    await counted.event('bounced', body['id'] as string);
    const today = new Date().toISOString().slice(0, 10);
    await eventually(async () =>
      expect(await world.dashboard.get(`${counted.path}/stats?from=${today}&to=${today}`)).toMatchObject({
        total: { accepted: 1, delivered: 1, bounced_hard: 0 },
      }),
    );
  });

  it('refuses a wrong password', async () => {
    const login = await world.call('POST', '/dashboard/api/session', {
      body: { email: 'owner@example.com', password: 'guess' },
    });
    expect(login).toMatchObject({ status: 401, body: { error: expect.any(String) } });
  });

  it('requires a session', async () =>
    expect((await world.call('GET', '/dashboard/api/email-services')).status).toBe(401));

  it('shows nothing of another workspace', async () => {
    const user = { email: 'bea@example.com', password: 'a long enough password' };
    await world.dashboard.post('/users', user);
    const session = await world.call('POST', '/dashboard/api/session', { body: user });
    const asBea = { headers: { authorization: `Bearer ${session.body['token']}` } };

    expect((await world.call('GET', `/dashboard/api${sender.path}`, asBea)).status).toBe(404);
    expect((await world.call('GET', '/dashboard/api/email-services', asBea)).body).toEqual([]);
    expect((await world.call('GET', `/dashboard/api${sender.path}/webhooks`, asBea)).status).toBe(404);
    expect((await world.call('GET', `/dashboard/api${sender.path}/emails`, asBea)).status).toBe(404);
  });
});

describe('suppression', () => {
  it('lists an address that bounced hard, and stops messages to it when it is switched on', async () => {
    const careful = await world.sender('Careful', 'careful.test');
    const mail = { ...MAIL, from: 'a@careful.test', to: ['hard-bounce@simulator.test'] };
    await careful.event('bounced', (await careful.send(mail)).body['id'] as string);
    await eventually(async () =>
      expect(await world.dashboard.get(`${careful.path}/suppressions`)).toMatchObject({
        items: [{ address: 'hard-bounce@simulator.test', reason: 'hard_bounce' }],
      }),
    );
    await world.dashboard.patch(careful.path, { suppression: true });
    const stopped = await eventually(async () => {
      const { body } = await careful.send(mail);
      expect(body['status']).toBe('failed');
      return body;
    });

    expect((await careful.event('bounced', stopped['id'] as string)).data['reason']).toContain('suppressed');
  }, 60_000);
});

interface TrackedEmail {
  readonly recipients: readonly { readonly address: string; readonly role: string; readonly state: string }[];
  readonly timeline: readonly { readonly kind: string }[];
}
