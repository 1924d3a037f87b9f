import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  admitPlatformCall,
  authenticateApiKey,
  authenticateSession,
  getEmailService,
  Refusal,
  sendEmail,
} from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { announced, call, firstAnswer, parsed, sendRaw } from '../../../testing/http.js';
import { admitAll, KEY as PLATFORM_KEY } from '../../../testing/platform-call.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const API_KEY = `em_live_${'a1B2'.repeat(10)}xyz`;
const INVENTED = `em_live_${'A'.repeat(43)}`;
const HASH_OF_INVENTED = createHash('sha256').update(INVENTED).digest('hex');
const MIB = 1024 * 1024;
const SESSION = { authorization: 'Bearer token' };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  admitAll(gateway.services);
  gateway.services.on(authenticateApiKey, ({ api_key_hash }) => {
    if (api_key_hash === HASH_OF_INVENTED) throw new Refusal('api_key_invalid', 'The API key is not valid.');
    return { service_id: ID };
  });
  gateway.services.on(authenticateSession, () => ({
    user_id: ID,
    email: 'a@b.c',
    operator: false,
    role: 'owner' as const,
    workspace_id: ID,
  }));
});

const statusOf = (answer: string): number => Number(answer.split(' ', 2)[1]);

describe('a request is refused before its body is read', () => {
  it.each<[string, string, number, number, string[]]>([
    ['sign-in beyond 4 KiB', 'POST /dashboard/api/session', 9_000_000, 413, []],
    ['no session', 'POST /dashboard/api/email-services', 900_000, 401, []],
    ['an invented email key', 'POST /emails', 9_000_000, 401, [`Api-Key: ${INVENTED}`]],
    ['an email beyond 36 MiB', 'POST /emails', 36 * MIB + 1, 413, [`Api-Key: ${API_KEY}`]],
    ['a platform call beyond 1 MiB', 'POST /api/v1/projects', MIB + 1, 413, [`Authorization: Bearer ${PLATFORM_KEY}`]],
    ['a dashboard call beyond 1 MiB', 'POST /dashboard/api/email-services', MIB + 1, 413, ['Authorization: Bearer t']],
    [
      'a route for operators',
      `POST /dashboard/api/web-services/${ID}/block`,
      900_000,
      403,
      ['Authorization: Bearer t'],
    ],
    ['no route', 'POST /nothing', 9_000_000, 404, []],
    ['no such method', 'POST /docs', 9_000_000, 405, []],
  ])('with %s', async (_what, line, bytes, status, headers) => {
    expect(statusOf(await firstAnswer(gateway.port, announced(line, bytes, headers)))).toBe(status);
  });

  it('for an email service of another workspace', async () => {
    gateway.services.on(getEmailService, () => {
      throw new Refusal('service_not_found', 'There is no such email service.');
    });
    const head = announced(`POST /dashboard/api/email-services/${ID}/webhooks`, 900_000, ['Authorization: Bearer t']);
    expect(statusOf(await firstAnswer(gateway.port, head))).toBe(404);
  });

  it('without an interim response', async () => {
    const head = announced('POST /emails', 9_000_000, [`Api-Key: ${INVENTED}`, 'Expect: 100-continue']);
    expect(await firstAnswer(gateway.port, head)).toMatch(/^HTTP\/1\.1 401 /);
    const admitted = announced('POST /emails', 9_000_000, [`Api-Key: ${API_KEY}`, 'Expect: 100-continue']);
    expect(await firstAnswer(gateway.port, admitted)).toMatch(/^HTTP\/1\.1 100 /);
  });

  it('also without a declared length', async () => {
    const chunk = `1000\r\n${' '.repeat(4_096)}\r\n`;
    const head =
      'POST /dashboard/api/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(2)}`;
    expect(statusOf(await firstAnswer(gateway.port, head))).toBe(413);
  });

  it('and a client that sends the body nevertheless receives the response', async () => {
    const body = Buffer.alloc(9 * MIB, 32);
    const answer = await call('POST', `${gateway.url}/emails`, { body, headers: { 'api-key': INVENTED } });
    expect([answer.status, answer.body]).toEqual([401, { error: 'The API key is not valid.' }]);
  });
});

describe('an API key', () => {
  it('is authenticated before the first body, and for later ones by email-send alone', async () => {
    const headers = { 'api-key': `em_live_${'z'.repeat(43)}` };
    const body = { from: 'a@b.c', to: ['d@e.f'], subject: 's', text: 't' };
    for (let n = 0; n < 2; n++) await call('POST', `${gateway.url}/emails`, { body, headers });
    expect(gateway.services.received.map(({ contract }) => contract)).toEqual([
      authenticateApiKey.name,
      sendEmail.name,
      sendEmail.name,
    ]);
  });
});

describe('JSON that would block the event loop is refused with 400', () => {
  const members = `{${Array.from({ length: 850_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
  const nested = '['.repeat(5_000_000) + ']'.repeat(5_000_000);

  it.each([
    ['850,000 members', members, 'The body has more than 20,000 members.'],
    ['5,000,000 levels', nested, 'The body is nested deeper than 64 levels.'],
    [
      '5,000,000 levels and an escape',
      nested.replace('[]', '["\\u0041"]'),
      'The body is nested deeper than 64 levels.',
    ],
  ])('for %s', async (_what, body, error) => {
    const answer = await call('POST', `${gateway.url}/emails`, { body, headers: { 'api-key': API_KEY } });
    expect([answer.status, answer.body]).toEqual([400, { error }]);
  });
});

describe('control characters are refused with 400 that names the parameter', () => {
  it.each([
    ['a query', 'GET', `/dashboard/api/email-services/${ID}/emails?search=%00`, 'search'],
    ['a query with a line break', 'GET', `/dashboard/api/email-services/${ID}/emails?search=a%0d%0ab`, 'search'],
    ['a path', 'DELETE', `/dashboard/api/email-services/${ID}/suppressions/%00`, 'address'],
    ['a path with C1', 'DELETE', `/dashboard/api/email-services/${ID}/suppressions/a%C2%85b`, 'address'],
    ['a page of the documentation', 'GET', '/docs/%00', 'The path'],
    ['a page of the dashboard', 'GET', '/dashboard/a%00.js', 'The path'],
    ['a tracked link', 'GET', '/c/%00', 'token'],
  ])('in %s', async (_what, method, path, name) => {
    const answer = await call(method, `${gateway.url}${path}`, { headers: SESSION });
    expect([answer.status, answer.body]).toEqual([400, { error: `${name} must not contain control characters.` }]);
    expect(
      gateway.services.received.every(
        ({ contract }) => contract.startsWith('authenticate-') || contract === 'get-email-service',
      ),
    ).toBe(true);
  });

  it('in the {detail} shape under /api/v1', async () => {
    const headers = { authorization: `Bearer ${PLATFORM_KEY}` };
    const answer = await call('GET', `${gateway.url}/api/v1/projects/%00`, { headers });
    expect([answer.status, answer.body]).toEqual([400, { detail: 'project_id must not contain control characters.' }]);
    expect(gateway.services.received.map(({ contract }) => contract)).toEqual([admitPlatformCall.name]);
  });

  it('but other escapes are accepted as text', async () => {
    const path = `/dashboard/api/email-services/${ID}/emails?search=%C3%A9%20%252500`;
    expect((await call('GET', `${gateway.url}${path}`, { headers: SESSION })).status).toBe(200);
  });
});

describe('a repeated Host header', () => {
  it.each(['1.1', '1.0'])('gets 400 in HTTP/%s', async version => {
    const answer = await sendRaw(gateway.port, `GET /health/live HTTP/${version}\r\nHost: a\r\nhOsT: b\r\n\r\n`);
    expect(parsed(answer)).toEqual({ status: 400, body: { error: 'The Host header is repeated.' } });
  });
});
