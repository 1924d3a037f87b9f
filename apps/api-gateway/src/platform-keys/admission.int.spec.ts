import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  admitPlatformCall,
  createProject,
  getProject,
  listProjects,
  Refusal,
  setVariables,
  startWebService,
} from '@postern/contracts';
import { currentContext } from '@postern/messaging';
import type { FastifyRequest } from 'fastify';
import { operationOfRoute } from '../infrastructure/http/access/route-operations.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call, sendRaw } from '../testing/http.js';
import { admitAll, bearer, KEY, KEY_HASH, REPORTED_KEY, requestsAfterAdmission } from '../testing/platform-call.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const DETAIL = { detail: expect.any(String) };
const RATE_LIMIT_HEADERS = { 'ratelimit-limit': '30', 'ratelimit-remaining': '29', 'ratelimit-reset': '2' };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => admitAll(gateway.services));

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = bearer) =>
  call(method, `${gateway.url}/api/v1${path}`, { headers, ...(body === undefined ? {} : { body }) });

const refuseAdmission = (refusal: Refusal): void =>
  gateway.services.on(admitPlatformCall, () => {
    throw refusal;
  });

describe('a platform key', () => {
  it.each([
    ['missing', {}],
    ['empty', { authorization: '' }],
    ['of another scheme', { authorization: 'Basic YTpi' }],
    ['without its scheme', { authorization: KEY }],
    ['an email key', { authorization: `Bearer em_live_${'a'.repeat(43)}` }],
    ['too short', { authorization: `Bearer ${KEY.slice(0, -1)}` }],
    ['too long', { authorization: `Bearer ${KEY}x` }],
    ['in other letters', { authorization: `Bearer ${KEY.toUpperCase()}` }],
  ])('that is %s is a 401 that names the scheme, without a request to a service', async (_form, headers) => {
    const answer = await api('GET', '/projects', undefined, headers as Record<string, string>);
    expect([answer.status, answer.body, answer.headers['www-authenticate']]).toEqual([401, DETAIL, 'Bearer']);
    expect(gateway.services.received).toEqual([]);
  });

  it('that is unknown, expired or revoked is a 401 that names the scheme', async () => {
    refuseAdmission(new Refusal('platform_key_invalid', 'The API key is not valid.'));
    const answer = await api('GET', '/projects');
    expect([answer.status, answer.body]).toEqual([401, { detail: 'The API key is not valid.' }]);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(requestsAfterAdmission(gateway.services)).toEqual([]);
  });

  it.each(['bearer', 'BEARER'])('may come after the scheme in any case: %s', async scheme => {
    expect((await api('GET', '/projects', undefined, { authorization: `${scheme} ${KEY}` })).status).toBe(200);
  });

  it('is sent to services only as a hash', async () => {
    await api('GET', '/projects');
    expect(gateway.services.requestsOf(admitPlatformCall)).toEqual([
      { key_hash: KEY_HASH, required: 'read', operation: 'projects:read' },
    ]);
    expect(JSON.stringify(gateway.services.received)).not.toContain(KEY);
  });

  it.each<[string, string, 'read' | 'write']>([
    ['GET', '/projects', 'read'],
    ['HEAD', '/projects', 'read'],
    ['GET', `/web-services/${ID}/logs`, 'read'],
    ['GET', '/users/me/api-key', 'read'],
    ['POST', '/projects', 'write'],
    ['POST', `/web-services/${ID}/stop`, 'write'],
    ['PUT', `/web-services/${ID}/env/bulk`, 'write'],
    ['DELETE', `/web-services/${ID}/env/${ID}`, 'write'],
  ])('needs, for %s %s, the scope %s', async (method, path, scope) => {
    await api(method, path);
    expect(gateway.services.requestsOf(admitPlatformCall)).toMatchObject([{ required: scope }]);
  });

  it('whose scope does not suffice is a 403 that names the required and the actual scope', async () => {
    const details = { required: 'write', actual: 'read', rate_limit: { limit: 30, remaining: 28, reset_s: 4 } };
    refuseAdmission(new Refusal('insufficient_scope', 'The key may only read.', details));
    const answer = await api('POST', '/projects', { name: 'Shop' });
    expect([answer.status, answer.body]).toEqual([
      403,
      { detail: { code: 'insufficient_scope', required: 'write', actual: 'read' } },
    ]);
    expect(answer.headers).toMatchObject({ 'ratelimit-remaining': '28' });
    expect(requestsAfterAdmission(gateway.services)).toEqual([]);
  });

  it('is described without the key, with one request', async () => {
    const answer = await api('GET', '/users/me/api-key');
    expect([answer.status, answer.body]).toEqual([200, REPORTED_KEY]);
    expect(gateway.services.received).toHaveLength(1);
  });
});

describe('the rate limit', () => {
  it.each<[string, string, unknown, number]>([
    ['GET', '/projects', undefined, 200],
    ['POST', `/web-services/${ID}/stop`, undefined, 202],
    ['POST', '/projects', {}, 400],
    ['GET', '/projects/17', undefined, 400],
    ['POST', '/projects', Buffer.alloc(1024 * 1024 + 1, 32), 413],
  ])('is on every answer to a valid key: %s %s', async (method, path, body, status) => {
    const answer = await api(method, path, body);
    expect([answer.status, answer.headers]).toEqual([status, expect.objectContaining(RATE_LIMIT_HEADERS)]);
  });

  it('is also on the answer when the service refuses', async () => {
    gateway.services.on(getProject, () => {
      throw new Refusal('project_not_found', 'There is no such project.');
    });
    const answer = await api('GET', `/projects/${ID}`);
    expect([answer.status, answer.headers]).toEqual([404, expect.objectContaining(RATE_LIMIT_HEADERS)]);
  });

  it('has no headers if there is no limit', async () => {
    gateway.services.on(admitPlatformCall, () => ({
      caller: { user_id: ID, workspace_id: ID, key: REPORTED_KEY },
      rate_limit: null,
    }));
    const answer = await api('GET', '/projects');
    expect([answer.status, answer.headers['ratelimit-limit']]).toEqual([200, undefined]);
  });

  it('is a 429 with Retry-After when it is reached', async () => {
    const details = { retry_after_s: 2, rate_limit: { limit: 30, remaining: 0, reset_s: 60 } };
    refuseAdmission(new Refusal('rate_limit_reached', 'More than 30 calls in a minute.', details));
    const answer = await api('GET', '/projects');
    expect([answer.status, answer.body]).toEqual([429, { detail: 'More than 30 calls in a minute.' }]);
    expect(answer.headers).toMatchObject({
      'retry-after': '2',
      'ratelimit-limit': '30',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
    });
  });
});

describe('the authentication of a call', () => {
  it.each<[string, unknown, Record<string, string>]>([
    ['a field too many', { name: 'Shop', colour: 'red' }, {}],
    ['no JSON', 'hello', {}],
    ['another content type', 'hello', { 'content-type': 'text/plain' }],
    ['more than 1 MiB', Buffer.alloc(1024 * 1024 + 1, 32), {}],
  ])('comes before errors about %s', async (_what, body, headers) => {
    refuseAdmission(new Refusal('platform_key_invalid', 'The API key is not valid.'));
    expect((await api('POST', '/projects', body, { ...bearer, ...headers })).status).toBe(401);
    expect((await api('POST', '/projects', body, headers)).status).toBe(401);
  });

  it('comes before the body is read', async () => {
    refuseAdmission(new Refusal('platform_key_invalid', 'The API key is not valid.'));
    const head =
      `POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 5000000\r\nConnection: close\r\n\r\n{';
    expect(await sendRaw(gateway.port, head)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('gives the service the actor, the request id and the trace of the caller', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    let context: ReturnType<typeof currentContext>;
    gateway.services.on(listProjects, () => {
      context = currentContext();
      return [];
    });
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
    await api('GET', '/projects', undefined, { ...bearer, 'x-request-id': 'order-7', traceparent });
    expect(context).toMatchObject({
      actor: `platform-key:${REPORTED_KEY.id}`,
      correlationId: 'order-7',
      traceparent: expect.stringContaining(trace),
    });
  });
});

describe('errors of the platform API', () => {
  it.each<[string, unknown, Record<string, string>, number, string]>([
    ['a field that nobody knows', { name: 'Shop', colour: 'red' }, {}, 400, 'unknown field "colour"'],
    ['a missing field', {}, {}, 400, 'name is required'],
    ['a wrong type', { name: 7 }, {}, 400, 'name must be a string'],
    ['an empty name', { name: ' ' }, {}, 400, 'name must not be empty'],
    ['broken JSON', '{"name":', {}, 400, 'not valid JSON'],
    ['no object', '[]', {}, 400, 'must be an object'],
    ['no body', undefined, {}, 400, 'must be a JSON object'],
    ['a NUL', { name: 'a\0b' }, {}, 400, 'name must not contain NUL'],
    ['another content type', 'name=Shop', { 'content-type': 'text/plain' }, 415, 'Content-Type'],
    ['a body beyond 1 MiB', Buffer.alloc(1024 * 1024 + 1, 32), {}, 413, '1 MiB'],
  ])('describe in {detail} what is wrong with %s', async (_what, body, headers, status, words) => {
    const answer = await api('POST', '/projects', body, { ...bearer, ...headers });
    expect([answer.status, answer.body]).toEqual([status, { detail: expect.stringContaining(words) }]);
    expect(gateway.services.requestsOf(createProject)).toEqual([]);
  });

  it.each([
    ['GET', '/nothing', 404],
    ['GET', '', 404],
    ['GET', '/projects/', 404],
    ['POST', `/projects/${ID}/secrets/bulk/more`, 404],
  ])('have the {detail} shape without a route: %s %s', async (method, path, status) => {
    const answer = await api(method, path);
    expect([answer.status, answer.body]).toEqual([status, DETAIL]);
  });

  it.each([
    ['DELETE', '/projects', 'GET, HEAD, OPTIONS, POST'],
    ['PATCH', `/projects/${ID}`, 'GET, HEAD, OPTIONS'],
    ['POST', '/databases', 'GET, HEAD, OPTIONS'],
    ['GET', `/web-services/${ID}/deploy`, 'OPTIONS, POST'],
    ['POST', '/users/me/api-key', 'GET, HEAD, OPTIONS'],
  ])('list the methods of a path: %s %s', async (method, path, allow) => {
    const answer = await api(method, path);
    expect([answer.status, answer.headers['allow'], answer.body]).toEqual([405, allow, DETAIL]);
  });

  it.each([
    ['service_blocked', 'The web service is blocked: phishing.'],
    ['service_suspended', 'The web service is suspended.'],
  ])('have the code %s', async (code, message) => {
    gateway.services.on(startWebService, () => {
      throw new Refusal(code, message);
    });
    const answer = await api('POST', `/web-services/${ID}/start`);
    expect([answer.status, answer.body]).toEqual([403, { detail: { code, message } }]);
  });

  it('are 500 without the cause when platform-management fails with an internal error', async () => {
    gateway.services.on(getProject, () => {
      throw new Error('secret cause');
    });
    const answer = await api('GET', `/projects/${ID}`);
    expect([answer.status, answer.body]).toEqual([500, { detail: expect.not.stringContaining('secret') }]);
  });
});

describe('the variables of a web service', () => {
  it('may be set with 10 MiB at once', async () => {
    const variables = Array.from({ length: 150 }, (_, index) => ({ key: `KEY_${index}`, value: 'x'.repeat(65_536) }));
    expect((await api('PUT', `/web-services/${ID}/env/bulk`, { variables })).status).toBe(200);
    expect(gateway.services.requestsOf(setVariables)[0]?.variables).toHaveLength(150);
  });
});

describe('without platform-management', () => {
  it('every call is a 503 with Retry-After', async () => {
    const alone = await startGateway();
    await alone.services.stop();
    for (const [method, path] of [
      ['GET', '/projects'],
      ['POST', `/web-services/${ID}/start`],
    ] as const) {
      const answer = await call(method, `${alone.url}/api/v1${path}`, { headers: bearer });
      expect([answer.status, answer.body]).toEqual([503, DETAIL]);
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    }
    await alone.stop();
  });
});

describe('a restricted platform key', () => {
  it('reaches only its projects: each request names them, whatever the caller sends', async () => {
    const admitted = { user_id: ID, workspace_id: ID, key: REPORTED_KEY, project_ids: [ID] };
    gateway.services.on(admitPlatformCall, () => ({ caller: admitted, rate_limit: null }));
    await api('GET', '/projects');
    expect(gateway.services.requestsOf(listProjects)).toEqual([{ user_id: ID, workspace_id: ID, project_ids: [ID] }]);
    expect((await api('POST', '/projects', { name: 'Shop', project_ids: [] })).status).toBe(400);
  });

  it('is refused with 403 and its code for another operation', async () => {
    refuseAdmission(new Refusal('operation_not_allowed', 'The key is restricted.', { required: 'projects:read' }));
    const answer = await api('GET', '/projects');
    expect([answer.status, answer.body]).toEqual([
      403,
      { detail: { code: 'operation_not_allowed', message: 'The key is restricted.' } },
    ]);
  });

  it.each([
    ['GET', `/web-services/${ID}/logs`, 'logs-and-metrics:read'],
    ['POST', `/web-services/${ID}/deployments`, 'deployments:write'],
    ['POST', `/web-services/${ID}/restart`, 'web-services:write'],
    ['PUT', `/projects/${ID}/secrets/bulk`, 'project-secrets:write'],
    ['DELETE', `/web-services/${ID}/env/${ID}`, 'environment:write'],
    ['GET', '/databases', 'databases:read'],
    ['GET', '/users/me/api-key', 'own-key'],
  ] as const)('is asked for the operation of the route: %s %s', async (method, path, operation) => {
    await api(method, path);
    expect(gateway.services.requestsOf(admitPlatformCall)).toMatchObject([{ operation }]);
  });

  it('is asked for an operation on every route of the platform API', () => {
    const routes = gateway.server.routes.all().filter(({ pattern }) => pattern.startsWith('/api/v1/'));
    expect(routes.length).toBeGreaterThan(20);
    for (const { method, pattern } of routes) {
      const operation = operationOfRoute({ method, routeOptions: { url: pattern } } as FastifyRequest);
      expect([method, pattern, operation]).toEqual([method, pattern, expect.any(String)]);
    }
  });
});
