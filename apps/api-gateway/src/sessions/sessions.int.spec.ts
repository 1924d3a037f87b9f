import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createEmailService, createSession, endSession, Refusal, switchWorkspace } from '@postern/contracts';
import { callDashboard, knowSession, TOKEN } from '../testing/dashboard-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

const OTHER = '0198c9f0-0000-7000-8000-000000000004';
const ERROR = { error: expect.any(String) };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => knowSession(gateway.services));

const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  callDashboard(gateway, method, path, body, headers);

const lastRequest = () => gateway.services.received.at(-1);

describe('signing in', () => {
  it('returns the token and sets a cookie that scripts and other sites cannot use', async () => {
    gateway.services.on(createSession, () => ({
      token: 't',
      expires_at: '2030-01-02T03:04:05.000Z',
      device_token: 'd',
    }));
    const answer = await api('POST', '/session', { email: 'owner@example.com', password: 'secret' }, {});
    expect([answer.status, answer.body]).toEqual([200, { token: 't', expires_at: '2030-01-02T03:04:05.000Z' }]);
    expect(answer.headers['set-cookie']).toEqual([
      'postern_session=t; Path=/dashboard; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; SameSite=Strict',
      'postern_device=d; Max-Age=15552000; Path=/dashboard/api/session; HttpOnly; SameSite=Strict',
    ]);
    expect(lastRequest()).toEqual({
      contract: 'create-session',
      request: { email: 'owner@example.com', password: 'secret', ip: '127.0.0.1' },
    });
  });

  it('counts attempts by the peer’s address, regardless of X-Forwarded-For', async () => {
    await api('POST', '/session', { email: 'a@b.c', password: 'p' }, { 'x-forwarded-for': '203.0.113.9' });
    expect(gateway.services.requestsOf(createSession)[0]?.ip).toBe('127.0.0.1');
  });

  it('sets cookies for https that no other host can set, and accepts no others', async () => {
    const secure = await startGateway({
      POSTERN_PUBLIC_URL: 'https://postern.example',
      POSTERN_TRUSTED_PROXIES: 'none',
    });
    knowSession(secure.services);
    const expires_at = '2030-01-02T03:04:05.000Z';
    secure.services.on(createSession, () => ({ token: TOKEN, expires_at, device_token: 'd' }));
    const path = `${secure.url}/dashboard/api`;
    const answer = await call('POST', `${path}/session`, { body: { email: 'a', password: 'b' } });
    expect([answer.headers['set-cookie']].flat()).toEqual([
      expect.stringMatching(/^__Host-postern_session=.+; Path=\/; .*Secure/),
      expect.stringMatching(/^__Host-postern_device=d; .*Path=\/; .*Secure/),
    ]);
    expect(answer.headers['strict-transport-security']).toBeDefined();
    const statusWith = async (cookie: string) => (await call('GET', `${path}/me`, { headers: { cookie } })).status;
    expect(await statusWith(`__Host-postern_session=${TOKEN}`)).toBe(200);
    expect(await statusWith(`postern_session=${TOKEN}`)).toBe(401);
    await secure.stop();
  });

  it('sets a device cookie for later logins, and sends it to no other route', async () => {
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
    expect(lastRequest()?.request).toMatchObject({ device_token: 'first:abc+/=' });
    await api('POST', '/session', credentials, { cookie: `postern_device=${'x'.repeat(2_000)}` });
    expect(lastRequest()?.request).not.toHaveProperty('device_token');
  });

  it('requires the code of a second factor, and forwards it', async () => {
    gateway.services.on(createSession, ({ code }) => {
      if (code === undefined) throw new Refusal('second_factor_required', 'enter the code from your authenticator app');
      return { token: 't', expires_at: '2030-01-02T03:04:05.000Z', device_token: 'd' };
    });
    const login = { email: 'owner@example.com', password: 'secret' };
    const first = await api('POST', '/session', login, {});
    expect([first.status, first.headers['error-code']]).toEqual([401, 'second_factor_required']);
    expect((await api('POST', '/session', { ...login, code: '123456' }, {})).status).toBe(200);
    expect(gateway.services.requestsOf(createSession).at(-1)?.code).toBe('123456');
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
  ])('that is %s gets 401, before errors about the body', async (_what, headers: Record<string, string>) => {
    const answer = await api('POST', '/email-services', '{broken', { 'sec-fetch-site': 'same-origin', ...headers });
    expect([answer.status, answer.body]).toEqual([401, ERROR]);
    expect(gateway.services.requestsOf(createEmailService)).toEqual([]);
  });

  it('in a cookie allows reads from anywhere, but writes only from pages of the dashboard', async () => {
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
