import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  authenticateSession,
  createEmailService,
  createSession,
  createWebhook,
  endSession,
  getEmailService,
  liftSuppression,
  listEmails,
  listWebhooks,
  preAddRecipient,
  Refusal,
  replaySince,
  switchWorkspace,
  verifyRecipient,
} from '@postern/contracts';
import { ALL_REQUESTS } from '../testing/fake-services.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import { replyOf } from '../testing/replies.js';

const TOKEN = 'a-session-token';
const WORKSPACE = '0198c9f0-0000-7000-8000-000000000001';
const USER = '0198c9f0-0000-7000-8000-000000000002';
const SERVICE = '0198c9f0-0000-7000-8000-000000000003';
const OTHER = '0198c9f0-0000-7000-8000-000000000004';
const bearer = { authorization: `Bearer ${TOKEN}` };
const ERROR = { error: expect.any(String) };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  for (const contract of ALL_REQUESTS) gateway.services.on(contract, () => replyOf(contract));
  gateway.services.on(authenticateSession, ({ token_hash }) => {
    if (token_hash !== createHash('sha256').update(TOKEN).digest('hex')) {
      throw new Refusal('session_invalid', 'Sign in again.');
    }
    return { user_id: USER, email: 'owner@example.com', operator: false, workspace_id: WORKSPACE };
  });
});

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = bearer) =>
  call(method, `${gateway.url}/dashboard/api${path}`, { headers, ...(body === undefined ? {} : { body }) });

const lastAsked = () => gateway.services.received.at(-1);

describe('signing in', () => {
  it('returns the token and sets a cookie that scripts and other sites cannot use', async () => {
    gateway.services.on(createSession, () => ({ token: 't', expires_at: '2030-01-02T03:04:05.000Z' }));
    const answer = await api('POST', '/session', { email: 'owner@example.com', password: 'secret' }, {});
    expect([answer.status, answer.body]).toEqual([200, { token: 't', expires_at: '2030-01-02T03:04:05.000Z' }]);
    expect(answer.headers['set-cookie']).toBe(
      'postern_session=t; Path=/dashboard; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; SameSite=Strict',
    );
    expect(lastAsked()).toEqual({
      contract: 'create-session',
      request: { email: 'owner@example.com', password: 'secret', ip: '127.0.0.1' },
    });
  });

  it('counts attempts by the peer’s address, whatever X-Forwarded-For says', async () => {
    await api('POST', '/session', { email: 'a@b.c', password: 'p' }, { 'x-forwarded-for': '203.0.113.9' });
    expect(gateway.services.requestsOf(createSession)[0]?.ip).toBe('127.0.0.1');
  });

  it('marks the cookie Secure behind https', async () => {
    const secure = await startGateway({
      POSTERN_PUBLIC_URL: 'https://postern.example',
      POSTERN_TRUSTED_PROXIES: 'none',
    });
    secure.services.on(createSession, () => ({ token: 't', expires_at: '2030-01-02T03:04:05.000Z' }));
    const answer = await call('POST', `${secure.url}/dashboard/api/session`, { body: { email: 'a', password: 'b' } });
    expect(answer.headers['set-cookie']).toContain('; Secure');
    expect(answer.headers['strict-transport-security']).toBeDefined();
    await secure.stop();
  });

  it('sets a cookie that tells later logins the device, and sends it to no other route', async () => {
    gateway.services.on(createSession, () => ({
      token: 't',
      expires_at: '2030-01-02T03:04:05.000Z',
      device_token: 'first:abc+/=',
    }));
    const credentials = { email: 'owner@example.com', password: 'secret' };
    const answer = await api('POST', '/session', credentials, {});
    expect(answer.body).toEqual({ token: 't', expires_at: '2030-01-02T03:04:05.000Z' });
    const [, device = ''] = [answer.headers['set-cookie']].flat();
    expect(device).toBe(
      'postern_device=first:abc+/=; Max-Age=15552000; Path=/dashboard/api/session; HttpOnly; SameSite=Strict',
    );
    await api('POST', '/session', credentials, { cookie: device.split(';')[0] ?? '' });
    expect(lastAsked()?.request).toMatchObject({ device_token: 'first:abc+/=' });
    await api('POST', '/session', credentials, { cookie: `postern_device=${'x'.repeat(2_000)}` });
    expect(lastAsked()?.request).not.toHaveProperty('device_token');
  });

  it('fails with 401 for wrong credentials and 429 after too many', async () => {
    gateway.services.on(createSession, () => {
      throw new Refusal('credentials_wrong', 'Wrong address or password.');
    });
    const body = { email: 'owner@example.com', password: 'wrong' };
    expect((await api('POST', '/session', body, {})).status).toBe(401);
    gateway.services.on(createSession, () => {
      throw new Refusal('too_many_attempts', 'Try again later.', { retry_after_s: 30 });
    });
    const limited = await api('POST', '/session', body, {});
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '30']);
  });
});

describe('a session', () => {
  it.each([
    ['missing', {}],
    ['of another scheme', { authorization: 'Basic YTpi' }],
    ['unknown', { authorization: 'Bearer other' }],
    ['an unknown cookie', { cookie: 'postern_session=other' }],
  ])('that is %s is a 401, before errors about the body', async (_what, headers: Record<string, string>) => {
    const answer = await api('POST', '/email-services', '{broken', { 'sec-fetch-site': 'same-origin', ...headers });
    expect([answer.status, answer.body]).toEqual([401, ERROR]);
    expect(gateway.services.requestsOf(createEmailService)).toEqual([]);
  });

  it('in a cookie allows reads from anywhere and writes only from our own pages', async () => {
    const cookie = { cookie: `postern_session=${TOKEN}` };
    const write = async (headers: Record<string, string>) =>
      (await api('POST', '/email-services', { name: 'Shop' }, { ...cookie, ...headers })).status;
    expect((await api('GET', '/me', undefined, cookie)).status).toBe(200);
    expect(await write({})).toBe(403);
    expect(await write({ origin: 'https://evil.example' })).toBe(403);
    expect(await write({ 'sec-fetch-site': 'cross-site', origin: 'http://gateway.test' })).toBe(403);
    expect(await write({ 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await write({ origin: 'null' })).toBe(403);
    expect(await write({ 'sec-fetch-site': 'same-origin' })).toBe(201);
    expect(await write({ origin: 'http://gateway.test' })).toBe(201);
    expect(await write({ origin: gateway.url })).toBe(201);
  });

  it('ends and expires its cookie', async () => {
    const answer = await api('DELETE', '/session');
    expect([answer.status, answer.headers['set-cookie']]).toEqual([
      200,
      expect.stringContaining('Expires=Thu, 01 Jan 1970'),
    ]);
    expect(gateway.services.requestsOf(endSession)).toHaveLength(1);
  });

  it('switches to another workspace', async () => {
    expect((await api('POST', '/session/workspace', { workspace_id: OTHER })).status).toBe(200);
    expect(gateway.services.requestsOf(switchWorkspace)[0]).toMatchObject({ workspace_id: OTHER });
  });
});

describe('email services', () => {
  it('are created in the workspace of the session, with 201', async () => {
    const answer = await api('POST', '/email-services', { name: 'Shop' });
    expect([answer.status, answer.body]).toEqual([201, replyOf(createEmailService)]);
    expect(lastAsked()).toEqual({
      contract: 'create-email-service',
      request: { workspace_id: WORKSPACE, owner_email: 'owner@example.com', name: 'Shop' },
    });
  });

  it.each<[string, string, unknown, string]>([
    ['POST', '/email-services', { name: 'Shop', mode: 'production' }, 'unknown field "mode"'],
    ['POST', '/email-services', {}, 'name is required'],
    ['POST', '/email-services', { name: '   ' }, 'name must have at least 1 character'],
    ['POST', '/email-services', undefined, 'The body must be a JSON object'],
    ['GET', '/email-services/17', undefined, 'service_id must be a UUID'],
    ['PATCH', `/email-services/${SERVICE}`, { enabled: 'yes' }, 'enabled must be true or false'],
    [
      'POST',
      `/email-services/${SERVICE}/webhooks`,
      { url: 'https://a.b', events: [] },
      'events must name at least one',
    ],
    [
      'POST',
      `/email-services/${SERVICE}/webhooks`,
      { url: 'https://a.b', events: ['sent'] },
      'events[0] must be one of',
    ],
    ['POST', `/email-services/${SERVICE}/recipients/${OTHER}/verify`, { code: '12345' }, 'code must be 6 digits'],
    ['GET', `/email-services/${SERVICE}/emails?limit=0`, undefined, 'limit must be at least 1'],
    ['GET', `/email-services/${SERVICE}/emails?limit=ten`, undefined, 'limit must be'],
    ['GET', `/email-services/${SERVICE}/emails?colour=red`, undefined, 'unknown field "colour"'],
    ['GET', `/email-services/${SERVICE}/stats?from=yesterday&to=2030-01-01`, undefined, 'from must be a date'],
    ['GET', `/email-services/${SERVICE}/stats?from=2030-01-01`, undefined, 'to is required'],
    ['POST', `/email-services/${SERVICE}/webhooks/${OTHER}/replay`, { since: 'today' }, 'since must be an ISO 8601'],
  ])('refuse with 400 naming the field: %s %s %j', async (method, path, body, words) => {
    const answer = await api(method, path, body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(words) }]);
  });

  it.each([
    ['service_not_found', 404],
    ['invalid_input', 400],
  ] as const)('tell %s as %i', async (code, status) => {
    gateway.services.on(getEmailService, () => {
      throw new Refusal(code, 'So it is.');
    });
    const answer = await api('GET', `/email-services/${SERVICE}`);
    expect([answer.status, answer.body]).toEqual([status, { error: 'So it is.' }]);
  });
});

describe('a resource of another workspace', () => {
  it.each([
    ['GET', '/webhooks'],
    ['GET', '/emails'],
    ['GET', `/emails/${OTHER}`],
    ['GET', '/stats?from=2030-01-01&to=2030-01-02'],
    ['GET', '/suppressions'],
    ['DELETE', '/suppressions/ada%40x.io'],
    ['GET', `/webhooks/${OTHER}/deliveries`],
    ['POST', `/webhooks/${OTHER}/deliveries/${OTHER}/replay`],
    ['DELETE', `/webhooks/${OTHER}`],
  ])('is not found, without a request to its service: %s %s', async (method, path) => {
    gateway.services.on(getEmailService, () => {
      throw new Refusal('service_not_found', 'There is no such email service.');
    });
    expect((await api(method, `/email-services/${SERVICE}${path}`)).status).toBe(404);
    expect(gateway.services.received.map(one => one.contract)).toEqual(['authenticate-session', 'get-email-service']);
  });
});

describe('the dashboard API', () => {
  it('lists messages by search, state and page', async () => {
    expect(
      (await api('GET', `/email-services/${SERVICE}/emails?search=ada&state=bounced&limit=5&offset=10`)).status,
    ).toBe(200);
    expect(gateway.services.requestsOf(listEmails)).toEqual([
      { service_id: SERVICE, search: 'ada', state: 'bounced', limit: 5, offset: 10 },
    ]);
  });

  it('lifts a suppression by its address', async () => {
    const address = 'ada+a/b@büro.example';
    expect((await api('DELETE', `/email-services/${SERVICE}/suppressions/${encodeURIComponent(address)}`)).status).toBe(
      200,
    );
    expect(gateway.services.requestsOf(liftSuppression)).toEqual([{ service_id: SERVICE, address }]);
  });

  it('creates webhooks with 201 and lists them', async () => {
    const body = { url: 'https://example.com/hook', events: ['delivered'] };
    expect((await api('POST', `/email-services/${SERVICE}/webhooks`, body)).status).toBe(201);
    expect(gateway.services.requestsOf(createWebhook)).toEqual([{ service_id: SERVICE, ...body }]);
    expect((await api('GET', `/email-services/${SERVICE}/webhooks`)).body).toEqual(replyOf(listWebhooks));
  });

  it('adds the own login address as a recipient without a code', async () => {
    expect((await api('POST', `/email-services/${SERVICE}/recipients/me`)).status).toBe(201);
    expect(gateway.services.requestsOf(preAddRecipient)).toEqual([
      { workspace_id: WORKSPACE, service_id: SERVICE, address: 'owner@example.com' },
    ]);
  });

  it('verifies a recipient and replays since a time', async () => {
    await api('POST', `/email-services/${SERVICE}/recipients/${OTHER}/verify`, { code: '012345' });
    expect(gateway.services.requestsOf(verifyRecipient)[0]).toMatchObject({ recipient_id: OTHER, code: '012345' });
    const since = '2030-01-02T03:04:05Z';
    expect((await api('POST', `/email-services/${SERVICE}/webhooks/${OTHER}/replay`, { since })).status).toBe(200);
    expect(gateway.services.requestsOf(replaySince)[0]).toMatchObject({ webhook_id: OTHER, since });
  });
});
