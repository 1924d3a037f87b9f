import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  admitPlatformCall,
  getProject,
  listDeployments,
  listProjects,
  Refusal,
  type ReplyOf,
} from '@postern/contracts';
import { currentContext } from '@postern/messaging';
import type { FastifyRequest } from 'fastify';
import { operationOfRoute } from '../infrastructure/http/access/route-operations.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call, sendRaw } from '../testing/http.js';
import {
  admitAll,
  bearer,
  KEY,
  KEY_HASH,
  RATE_LIMIT,
  REPORTED_KEY,
  requestsAfterAdmission,
} from '../testing/platform-call.js';

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
  ])('that is %s gets 401 with the scheme, without a request to a service', async (_form, headers) => {
    const answer = await api('GET', '/projects', undefined, headers as Record<string, string>);
    expect([answer.status, answer.body, answer.headers['www-authenticate']]).toEqual([401, DETAIL, 'Bearer']);
    expect(gateway.services.received).toEqual([]);
  });

  it('that is unknown, expired or revoked gets 401 with the scheme', async () => {
    refuseAdmission(new Refusal('platform_key_invalid', 'The API key is not valid.'));
    const answer = await api('GET', '/projects');
    expect([answer.status, answer.body]).toEqual([401, { detail: 'The API key is not valid.' }]);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(requestsAfterAdmission(gateway.services)).toEqual([]);
  });

  it.each(['bearer', 'BEARER'])('can follow the scheme in any case: %s', async scheme => {
    expect((await api('GET', '/projects', undefined, { authorization: `${scheme} ${KEY}` })).status).toBe(200);
  });

  it('is sent to services only as a hash', async () => {
    await api('GET', '/projects');
    expect(gateway.services.requestsOf(admitPlatformCall)).toEqual([
      expect.objectContaining({ key_hash: KEY_HASH, required: 'read', operation: 'projects:read', role: 'viewer' }),
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
  ])('requires for %s %s the scope %s', async (method, path, scope) => {
    await api(method, path);
    expect(gateway.services.requestsOf(admitPlatformCall)).toMatchObject([{ required: scope }]);
  });

  it('with an insufficient scope gets 403 with the required and the actual scope', async () => {
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

  it('is described without the secret, with one request', async () => {
    const answer = await api('GET', '/users/me/api-key');
    expect([answer.status, answer.body]).toEqual([200, REPORTED_KEY]);
    expect(gateway.services.received).toHaveLength(1);
  });
});

describe('a call that reads', () => {
  const admitWith = (read: ReplyOf<typeof admitPlatformCall>['read']): void =>
    gateway.services.on(admitPlatformCall, () => ({
      caller: { user_id: ID, workspace_id: ID, key: REPORTED_KEY },
      rate_limit: RATE_LIMIT,
      ...(read ? { read } : {}),
    }));

  it('is sent with its admission, without the caller', async () => {
    await api('GET', `/projects/${ID}`);
    await api('GET', `/web-services/${ID}/deployments?offset=20`);
    expect(gateway.services.requestsOf(admitPlatformCall).map(({ read }) => read)).toEqual([
      { name: getProject.name, request: { project_id: ID } },
      { name: listDeployments.name, request: { web_service_id: ID, limit: 10, offset: 20 } },
    ]);
  });

  it('gets its reply with its admission, without a second request', async () => {
    admitWith({ ok: [{ id: ID }] });
    const answer = await api('GET', '/projects');
    expect([answer.status, answer.body]).toEqual([200, [{ id: ID }]]);
    expect(answer.headers).toMatchObject(RATE_LIMIT_HEADERS);
    expect(requestsAfterAdmission(gateway.services)).toEqual([]);
  });

  it('is refused with its admission', async () => {
    admitWith({ refusal: { code: 'project_not_found', message: 'There is no such project.', details: {} } });
    const answer = await api('GET', `/projects/${ID}`);
    expect([answer.status, answer.body]).toEqual([404, { detail: 'There is no such project.' }]);
    expect(answer.headers).toMatchObject(RATE_LIMIT_HEADERS);
    expect(requestsAfterAdmission(gateway.services)).toEqual([]);
  });

  it('is sent separately if the admission contains no reply', async () => {
    admitWith(undefined);
    expect((await api('GET', '/projects')).status).toBe(200);
    expect(gateway.services.requestsOf(listProjects)).toEqual([{ user_id: ID, workspace_id: ID }]);
  });

  it.each([
    ['another identifier', '/projects/17'],
    ['an unknown parameter', `/web-services/${ID}/deployments?colour=red`],
    ['a control character', '/projects?colour=%00'],
  ])('contains no read if it has %s', async (_what, path) => {
    expect((await api('GET', path)).status).toBe(400);
    expect(gateway.services.requestsOf(admitPlatformCall)).toEqual([
      expect.not.objectContaining({ read: expect.anything() }),
    ]);
    expect(requestsAfterAdmission(gateway.services)).toEqual([]);
  });

  it.each([
    ['POST', '/projects'],
    ['GET', `/web-services/${ID}/logs`],
    ['GET', '/users/me/api-key'],
  ])('contains no read for other routes: %s %s', async (method, path) => {
    await api(method, path);
    expect(gateway.services.requestsOf(admitPlatformCall)).toEqual([
      expect.not.objectContaining({ read: expect.anything() }),
    ]);
  });
});

describe('the rate limit', () => {
  it.each<[string, string, unknown, number]>([
    ['GET', '/projects', undefined, 200],
    ['POST', `/web-services/${ID}/stop`, undefined, 202],
    ['POST', '/projects', {}, 400],
    ['GET', '/projects/17', undefined, 400],
    ['POST', '/projects', Buffer.alloc(1024 * 1024 + 1, 32), 413],
  ])('is in every response to a valid key: %s %s', async (method, path, body, status) => {
    const answer = await api(method, path, body);
    expect([answer.status, answer.headers]).toEqual([status, expect.objectContaining(RATE_LIMIT_HEADERS)]);
  });

  it('is also in the response if the service refuses', async () => {
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

  it('results in 429 with Retry-After once it is reached', async () => {
    const details = { retry_after_s: 2, rate_limit: { limit: 30, remaining: 0, reset_s: 60 } };
    refuseAdmission(new Refusal('rate_limit_reached', 'More than 30 calls in a minute.', details));
    const answer = await api('GET', '/projects');
    expect([answer.status, answer.body]).toEqual([
      429,
      { detail: expect.stringMatching(/^More than 30 calls in a minute\. Try again in 2 seconds, at .* UTC\.$/) },
    ]);
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

  it('precedes reading the body', async () => {
    refuseAdmission(new Refusal('platform_key_invalid', 'The API key is not valid.'));
    const head =
      `POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 5000000\r\nConnection: close\r\n\r\n{';
    expect(await sendRaw(gateway.port, head)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('sends the actor, the request id and the trace of the caller to the service', async () => {
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

describe('a restricted platform key', () => {
  it("is limited to its projects: each request contains them, regardless of the caller's input", async () => {
    const admitted = { user_id: ID, workspace_id: ID, key: REPORTED_KEY, project_ids: [ID] };
    gateway.services.on(admitPlatformCall, () => ({ caller: admitted, rate_limit: null }));
    await api('GET', '/projects');
    expect(gateway.services.requestsOf(listProjects)).toEqual([{ user_id: ID, workspace_id: ID, project_ids: [ID] }]);
    expect((await api('POST', '/projects', { name: 'Shop', project_ids: [] })).status).toBe(400);
  });

  it('gets 403 with its code for another operation', async () => {
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
  ] as const)('is checked for the operation of the route: %s %s', async (method, path, operation) => {
    await api(method, path);
    expect(gateway.services.requestsOf(admitPlatformCall)).toMatchObject([{ operation }]);
  });

  it('is checked for an operation on every route of the platform API', () => {
    const routes = gateway.server.routes.all().filter(({ pattern }) => pattern.startsWith('/api/v1/'));
    expect(routes.length).toBeGreaterThan(20);
    for (const { method, pattern } of routes) {
      const operation = operationOfRoute({ method, routeOptions: { url: pattern } } as FastifyRequest);
      expect([method, pattern, operation]).toEqual([method, pattern, expect.any(String)]);
    }
  });
});
