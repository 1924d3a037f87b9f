import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  authenticateApiKey,
  cancelScheduledEmail,
  getScheduledEmail,
  listScheduledEmails,
  Refusal,
  rescheduleEmail,
  scheduleEmail,
} from '@postern/contracts';
import { TemporarilyUnavailable } from '@postern/messaging';
import { request } from 'undici';
import { acceptEmails, EMAIL, ID, KEY, KEY_HASH, refused } from '../testing/email-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';

const SEND_AT = '2030-01-31T09:00:00Z';
const SCHEDULED = { id: ID, send_at: SEND_AT, state: 'scheduled' as const };
const BODY = { send_at: SEND_AT, email: EMAIL };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  acceptEmails(gateway.services);
  gateway.services.on(scheduleEmail, () => SCHEDULED);
  gateway.services.on(listScheduledEmails, () => ({ items: [SCHEDULED], total: 1, limit: 20, offset: 0 }));
  gateway.services.on(getScheduledEmail, () => ({ ...SCHEDULED, state: 'sent' as const, email_id: ID }));
  gateway.services.on(rescheduleEmail, ({ send_at }) => ({ ...SCHEDULED, send_at }));
  gateway.services.on(cancelScheduledEmail, () => ({ ...SCHEDULED, state: 'cancelled' as const }));
});

const call = async (method: string, path = '', body?: unknown, headers: Record<string, string> = {}) => {
  const answer = await request(`${gateway.url}/scheduled-emails${path}`, {
    method: method as 'GET',
    headers: { 'api-key': KEY, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.json() };
};

describe('POST /scheduled-emails', () => {
  it('schedules the message under a new id', async () => {
    expect(await call('POST', '', BODY)).toMatchObject({ status: 201, body: SCHEDULED });
    expect(gateway.services.requestsOf(scheduleEmail)).toMatchObject([
      { api_key_hash: KEY_HASH, send_at: SEND_AT, email: { ...EMAIL, cc: [], headers: {} } },
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ['no time', { email: EMAIL }, /send_at/],
    ['no message', { send_at: SEND_AT }, /email/],
    ['a time that is no time', { ...BODY, send_at: 'tomorrow' }, /send_at/],
    ['a time without an offset', { ...BODY, send_at: '2030-01-31T09:00:00' }, /send_at/],
    ['a number as time', { ...BODY, send_at: 1 }, /send_at/],
    ['an unknown field', { ...BODY, at: 1 }, /Unknown field "at"/],
    ['an unknown field of the message', { ...BODY, email: { ...EMAIL, colour: 1 } }, /email\.colour|"colour"/],
    ['a list', [BODY], /object/],
  ])('refuses %s', async (_, body, message) => {
    expect(await call('POST', '', body)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(message) },
    });
    expect(gateway.services.requestsOf(scheduleEmail)).toEqual([]);
  });

  it('answers with the refusals of email-send', async () => {
    gateway.services.on(scheduleEmail, refused(new Refusal('invalid_email', 'send_at: must be at least 1 minute')));
    expect(await call('POST', '', BODY)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^send_at/) },
    });
    gateway.services.on(scheduleEmail, refused(new Refusal('quota_reached', 'at most 10,000')));
    const { status, headers } = await call('POST', '', BODY);
    expect([status, headers['error-code']]).toEqual([409, 'quota_reached']);
  });

  it('carries out a request with an Idempotency-Key once for each email service', async () => {
    await call('POST', '', BODY, { 'idempotency-key': 'order 1' });
    expect(gateway.services.keys).toEqual([
      { caller: `email service ${ID}`, key: 'order 1', fingerprint: expect.any(String) },
    ]);
    gateway.services.replaysKeyed = true;
    const { headers } = await call('POST', '', BODY, { 'idempotency-key': 'order 1' });
    expect(headers['idempotent-replayed']).toBe('true');
    expect((await call('POST', '', BODY, { 'idempotency-key': '' })).status).toBe(400);
  });

  it('says that an unknown outcome is one, and how to repeat it', async () => {
    gateway.services.on(scheduleEmail, () => {
      throw new TemporarilyUnavailable('the database failed', { maybeExecuted: true });
    });
    const { status, headers, body } = await call('POST', '', BODY);
    expect([status, headers['error-code']]).toEqual([503, 'outcome_unknown']);
    expect(body).toEqual({ error: expect.stringContaining('GET /scheduled-emails') });
  });

  it('refuses an invalid key before it looks at the content', async () => {
    gateway.services.on(authenticateApiKey, refused(new Refusal('api_key_invalid', 'The API key is not valid.')));
    expect(await call('POST', '', {})).toMatchObject({ status: 401 });
  });
});

describe('/scheduled-emails', () => {
  it('lists by state and page', async () => {
    expect(await call('GET', '?state=sent&limit=5&offset=10')).toMatchObject({
      status: 200,
      body: { items: [SCHEDULED] },
    });
    expect(gateway.services.requestsOf(listScheduledEmails)).toEqual([
      { api_key_hash: KEY_HASH, state: 'sent', limit: 5, offset: 10 },
    ]);
  });

  it.each(['?state=lost', '?limit=0', '?limit=101', '?offset=-1', '?page=2'])('refuses the query %s', async query => {
    expect(await call('GET', query)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  });

  it('gets, moves and cancels one', async () => {
    expect(await call('GET', `/${ID}`)).toMatchObject({ status: 200, body: { state: 'sent' as const, email_id: ID } });
    const send_at = '2030-02-01T09:00:00+01:00';
    expect(await call('PATCH', `/${ID}`, { send_at })).toMatchObject({ status: 200, body: { send_at } });
    expect(await call('DELETE', `/${ID}`)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect(gateway.services.requestsOf(cancelScheduledEmail)).toEqual([
      { api_key_hash: KEY_HASH, scheduled_email_id: ID },
    ]);
  });

  it.each([
    ['GET', '/nothing', undefined, 400],
    ['PATCH', `/${ID}`, {}, 400],
    ['PATCH', `/${ID}`, { send_at: SEND_AT, email: EMAIL }, 400],
    ['PUT', `/${ID}`, undefined, 405],
    ['GET', `/${ID}/more`, undefined, 404],
  ])('refuses %s %s', async (method, path, body, status) => {
    expect(await call(method, path, body)).toMatchObject({ status, body: { error: expect.any(String) } });
  });

  it('tells that a message does not wait any more', async () => {
    gateway.services.on(
      cancelScheduledEmail,
      refused(new Refusal('scheduled_email_not_waiting', 'this scheduled email cannot be changed; it is sent')),
    );
    const { status, headers } = await call('DELETE', `/${ID}`);
    expect([status, headers['error-code']]).toEqual([409, 'scheduled_email_not_waiting']);
  });
});
