import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ownWorld } from './stories.js';

interface Endpoint {
  readonly id: string;
  readonly url: string;
}

const SIGNING_KEY = 'key-of-the-provider';
const world = await ownWorld();
const sender = await world.sender('Shop', 'shop.test');
const endpoint = await world.dashboard.post<Endpoint>('/provider-endpoints', {
  kind: 'mailgun',
  signing_key: SIGNING_KEY,
});

const sent = async (): Promise<{ id: string; messageId: string }> => {
  const { headers, body } = await sender.send({
    from: 'orders@shop.test',
    to: ['silent@customers.test'],
    subject: 'Your receipt',
    text: 'Thank you.',
  });
  return { id: body['id'] as string, messageId: headers.get('message-id-header')! };
};

const post = (url: string, event: object, { key = SIGNING_KEY, age = 0 } = {}) => {
  const timestamp = String(Math.floor(Date.now() / 1_000) - age);
  const token = randomUUID();
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  const body = { signature: { timestamp, token, signature }, 'event-data': event };
  return world.call('POST', new URL(url).pathname, { body });
};
const eventOf = (messageId: string, change: object) => ({
  timestamp: Date.now() / 1_000,
  recipient: 'silent@customers.test',
  message: { headers: { 'message-id': messageId } },
  ...change,
});
const complaint = (messageId: string) => eventOf(messageId, { event: 'complained' });

describe('The events of a mail provider', () => {
  it('reach the webhooks of the sender, once', async () => {
    const { id, messageId } = await sent();
    const bounce = eventOf(messageId, {
      event: 'failed',
      severity: 'permanent',
      'delivery-status': { code: 550, message: '5.1.1 no such user', 'enhanced-code': '5.1.1' },
    });
    expect((await post(endpoint.url, bounce)).body).toEqual({ recorded: 1, ignored: 0 });
    expect((await sender.event('bounced', id)).data).toEqual({
      bounce_type: 'hard',
      reason: '550 5.1.1 no such user',
    });
    expect((await post(endpoint.url, bounce)).body).toEqual({ recorded: 0, ignored: 1 });
    expect((await post(endpoint.url, complaint(messageId))).body).toEqual({ recorded: 1, ignored: 0 });
    expect((await sender.event('complained', id)).data).toEqual({ source: 'abuse Mailgun' });
  });

  it('of unknown messages are accepted and counted', async () => {
    const { status, body } = await post(endpoint.url, complaint('<unknown@elsewhere.test>'));
    expect([status, body]).toEqual([200, { recorded: 0, ignored: 1 }]);
    const { body: list } = await world.callDashboardApi('GET', '/provider-endpoints');
    expect(list).toMatchObject([{ id: endpoint.id, kind: 'mailgun', events: 2, ignored: 2, refused: 0 }]);
    expect(JSON.stringify(list)).not.toMatch(/pe_live_|key-of-the-provider/);
  });

  it('are refused without a valid signature, and at unknown URLs', async () => {
    const { messageId } = await sent();
    const forged = await post(endpoint.url, complaint(messageId), { key: 'other' });
    expect([forged.status, forged.headers.get('error-code')]).toEqual([401, 'invalid_signature']);
    expect(forged.body['error']).toMatch(/does not match the signing key/);
    expect((await post(endpoint.url, complaint(messageId), { age: 86_400 })).status).toBe(401);
    const { pathname } = new URL(endpoint.url);
    for (const path of [pathname.slice(0, -1), pathname.replace('mailgun', 'brevo'), '/providers/other/x']) {
      const { status, headers } = await world.call('POST', path, { body: {} });
      expect([path, status, headers.get('error-code')]).toEqual([path, 404, 'provider_endpoint_not_found']);
    }
    expect((await world.call('POST', pathname, { body: 'x'.repeat(2 ** 20 + 1) })).status).toBe(413);
  });

  it('keep arriving while the URL is replaced', async () => {
    const rotated = await world.dashboard.post<Endpoint>(`/provider-endpoints/${endpoint.id}/rotate`, {});
    expect(rotated.url).not.toBe(endpoint.url);
    for (const { url } of [endpoint, rotated]) {
      const { messageId } = await sent();
      expect((await post(url, complaint(messageId))).body).toEqual({ recorded: 1, ignored: 0 });
    }
    expect((await world.callDashboardApi('DELETE', `/provider-endpoints/${endpoint.id}`)).body).toEqual({
      id: endpoint.id,
      deleted: true,
    });
    expect((await post(rotated.url, complaint('<x@y.test>'))).status).toBe(404);
  });

  it('can be set up by administrators only', async () => {
    const invalid = { kind: 'mailgun', signing_key: 'x', public_key: 'y' };
    const { status, body } = await world.callDashboardApi('POST', '/provider-endpoints', invalid);
    expect([status, body]).toEqual([400, { error: expect.stringMatching(/^public_key: does not apply to mailgun/) }]);
    const email = `${randomUUID()}@customers.test`;
    const password = 'a password of the tests';
    await world.dashboard.post('/users', { email, password });
    const { body: session } = await world.call('POST', '/dashboard/api/session', { body: { email, password } });
    const token = session['token'] as string;
    expect((await world.callDashboardApi('GET', '/provider-endpoints', undefined, token)).status).toBe(403);
  });
});
