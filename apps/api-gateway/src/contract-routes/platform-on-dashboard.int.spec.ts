import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  authenticateSession,
  cancelDeployment,
  moderateWebService,
  Refusal,
  type RequestContract,
  restartWebService,
  revokePlatformKey,
  setServiceLimits,
  setVariable,
} from '@postern/contracts';
import { ALL_REQUESTS } from '../testing/fake-services.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import { bearer as platformKey, signInAs, USER, WORKSPACE } from '../testing/platform-call.js';
import { replyOf } from '../testing/replies.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const OTHER = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e60';
const PROJECT = `/projects/${ID}`;
const SERVICE = `/web-services/${ID}`;

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  for (const contract of ALL_REQUESTS) gateway.services.on(contract, () => replyOf(contract));
  signInAs(gateway.services, { operator: false });
});

const api = (method: string, path: string, body?: unknown, headers = { authorization: 'Bearer t' }) =>
  call(method, `${gateway.url}/dashboard/api${path}`, { headers, ...(body === undefined ? {} : { body }) });

const contractNamed = (name: string): RequestContract => ALL_REQUESTS.find(contract => contract.name === name)!;

const ofUser = { user_id: USER, workspace_id: WORKSPACE };
const ofWorkspace = { workspace_id: WORKSPACE };
const ofProject = { ...ofUser, project_id: ID };
const ofService = { ...ofUser, web_service_id: ID };
const ofDeployment = { ...ofService, deployment_id: OTHER };
const PAGE = { limit: 10, offset: 0 };

describe('the platform on the dashboard', () => {
  it.each<[call: string, body: unknown, status: number, contract: string, request: object]>([
    ['GET /projects', undefined, 200, 'list-projects', ofUser],
    ['POST /projects', { name: 'Shop' }, 201, 'create-project', { ...ofUser, ...ofWorkspace, name: 'Shop' }],
    [`GET ${PROJECT}`, undefined, 200, 'get-project', ofProject],
    [`GET ${PROJECT}/secrets`, undefined, 200, 'list-project-secrets', ofProject],
    ['GET /web-services', undefined, 200, 'list-web-services', ofUser],
    [`GET ${SERVICE}`, undefined, 200, 'get-web-service', ofService],
    [`POST ${SERVICE}/deploy`, undefined, 202, 'start-web-service', ofService],
    [`POST ${SERVICE}/stop`, undefined, 202, 'stop-web-service', ofService],
    [`GET ${SERVICE}/logs?tail=5`, undefined, 200, 'get-logs', { ...ofService, tail: 5 }],
    [`GET ${SERVICE}/metrics`, undefined, 200, 'get-metrics', ofService],
    [`GET ${SERVICE}/metrics/history?period=60`, undefined, 200, 'get-metrics-history', { ...ofService, period: 60 }],
    [`GET ${SERVICE}/env`, undefined, 200, 'list-variables', ofService],
    [`GET ${SERVICE}/deployments`, undefined, 200, 'list-deployments', { ...ofService, ...PAGE }],
    [`POST ${SERVICE}/deployments`, undefined, 202, 'create-deployment', ofService],
    [`POST ${SERVICE}/deployments/${OTHER}/rollback`, undefined, 202, 'roll-back-deployment', ofDeployment],
    [`POST ${SERVICE}/deployments/${OTHER}/cancel`, undefined, 200, 'cancel-deployment', ofDeployment],
    ['GET /databases', undefined, 200, 'list-databases', { ...ofWorkspace, limit: 50, offset: 0 }],
    [
      'POST /databases',
      { name: 'orders', kind: 'key_value', plan: 'starter' },
      201,
      'create-database',
      { ...ofWorkspace, name: 'orders', kind: 'key_value', plan: 'starter' },
    ],
    [`GET /databases/${ID}`, undefined, 200, 'get-database', { ...ofWorkspace, database_id: ID }],
    [`DELETE /databases/${ID}`, undefined, 200, 'delete-database', { ...ofWorkspace, database_id: ID }],
    [
      'POST /platform-keys',
      { name: 'CI', scope: 'read', expires_at: '2030-01-02T03:04:05Z' },
      201,
      'create-platform-key',
      { ...ofUser, ...ofWorkspace, name: 'CI', scope: 'read', expires_at: '2030-01-02T03:04:05Z' },
    ],
    ['GET /platform-keys', undefined, 200, 'list-platform-keys', { ...ofUser, ...ofWorkspace }],
    [`DELETE /platform-keys/${ID}`, undefined, 200, 'revoke-platform-key', { ...ofUser, ...ofWorkspace, key_id: ID }],
  ])('sends the user and workspace of the session: %s %j', async (line, body, status, name, request) => {
    const [method = '', path = ''] = line.split(' ');
    const answer = await api(method, path, body);
    expect([answer.status, answer.body]).toEqual([status, replyOf(contractNamed(name))]);
    expect(gateway.services.received.slice(1)).toEqual([{ contract: name, request }]);
  });

  it('responds with 201 for a new variable and 200 for an updated one', async () => {
    const variable = { id: OTHER, key: 'A', value: '1', is_secret: false };
    gateway.services.on(setVariable, () => ({ variable, created: true }));
    expect(await api('POST', `${SERVICE}/env`, { key: 'A', value: '1' })).toMatchObject({
      status: 201,
      body: variable,
    });
  });

  it('requires a session, not a platform key', async () => {
    gateway.services.on(authenticateSession, () => {
      throw new Refusal('session_invalid', 'Sign in again.');
    });
    const answer = await api('GET', '/projects', undefined, platformKey);
    expect([answer.status, answer.body]).toEqual([401, { error: 'Sign in again.' }]);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it.each([
    ['service_blocked', 403],
    ['never_ran', 400],
    ['web_service_not_found', 404],
  ])('responds to %s in the {error} shape', async (code, status) => {
    gateway.services.on(restartWebService, () => {
      throw new Refusal(code, 'So it is.');
    });
    const answer = await api('POST', `${SERVICE}/restart`);
    expect([answer.status, answer.body]).toEqual([status, { error: 'So it is.' }]);
  });

  it.each<[string, unknown, string]>([
    ['POST /platform-keys', { name: 'CI' }, 'scope is required'],
    ['POST /platform-keys', { name: 'CI', scope: 'admin' }, 'scope must be one of "read", "write"'],
    ['POST /platform-keys', { name: 'CI', scope: 'read', expires_at: 'soon' }, 'expires_at must be an ISO 8601 time'],
    ['POST /databases', { name: 'orders', kind: 'document' }, 'kind must be one of "relational", "key_value"'],
    [`GET ${SERVICE}/logs?tail=0`, undefined, 'tail must be at least 1'],
    [`POST ${SERVICE}/deployments/1/cancel`, undefined, 'deployment_id must be a UUID'],
  ])('responds with 400 and the error: %s %j', async (line, body, message) => {
    const [method = '', path = ''] = line.split(' ');
    const answer = await api(method, path, body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(message) }]);
  });

  it('responds with 409 for a deployment that has ended and 404 for an unknown key', async () => {
    gateway.services.on(cancelDeployment, () => {
      throw new Refusal('deployment_over', 'The deployment is over.');
    });
    gateway.services.on(revokePlatformKey, () => {
      throw new Refusal('platform_key_not_found', 'There is no such key.');
    });
    expect((await api('POST', `${SERVICE}/deployments/${OTHER}/cancel`)).status).toBe(409);
    expect((await api('DELETE', `/platform-keys/${ID}`)).status).toBe(404);
  });
});

describe('moderation', () => {
  it.each<[string, object | undefined, object]>([
    ['block', { reason: 'Phishing.' }, { reason: 'Phishing.' }],
    ['unblock', undefined, {}],
    ['unblock', { reason: 'An error.' }, { reason: 'An error.' }],
    ['suspend', { reason: '3 TB in a day.' }, { reason: '3 TB in a day.' }],
    ['suspend', undefined, { reason: 'The bandwidth limit was exceeded.' }],
    ['resume', {}, {}],
  ])('is allowed for operators: %s %j', async (action, body, request) => {
    signInAs(gateway.services, { operator: true });
    const answer = await api('POST', `${SERVICE}/${action}`, body);
    expect([answer.status, answer.body]).toEqual([200, replyOf(moderateWebService)]);
    expect(gateway.services.requestsOf(moderateWebService)).toEqual([
      { actor_id: USER, web_service_id: ID, action, ...request },
    ]);
  });

  it('requires a reason to block', async () => {
    signInAs(gateway.services, { operator: true });
    const answer = await api('POST', `${SERVICE}/block`, {});
    expect([answer.status, answer.body]).toEqual([400, { error: 'reason is required.' }]);
  });

  it.each(['block', 'unblock', 'suspend', 'resume'])('is refused for other users: %s', async action => {
    const answer = await api('POST', `${SERVICE}/${action}`, { reason: 'x' });
    expect([answer.status, answer.body]).toEqual([403, { error: 'Only operators can do this.' }]);
    expect(gateway.services.requestsOf(moderateWebService)).toEqual([]);
  });
});

describe('limits of an email service', () => {
  const limits = { sandbox_daily: 100, production_per_minute: 6_000 };

  it('are set by an operator, in any workspace', async () => {
    signInAs(gateway.services, { operator: true });
    const answer = await api('PATCH', `/email-services/${ID}/limits`, limits);
    expect([answer.status, answer.body]).toEqual([200, replyOf(setServiceLimits)]);
    expect(gateway.services.requestsOf(setServiceLimits)).toEqual([{ service_id: ID, limits }]);
  });

  it('cannot be set by the owner', async () => {
    expect((await api('PATCH', `/email-services/${ID}/limits`, limits)).status).toBe(403);
    expect(gateway.services.requestsOf(setServiceLimits)).toEqual([]);
  });

  it('include the daily quota, which an operator sets directly', async () => {
    signInAs(gateway.services, { operator: true });
    const quota = { production_daily: 50_000 };
    expect((await api('PATCH', `/email-services/${ID}/limits`, quota)).status).toBe(200);
    expect(gateway.services.requestsOf(setServiceLimits)).toEqual([{ service_id: ID, limits: quota }]);
  });

  it('refuse an invalid limit', async () => {
    signInAs(gateway.services, { operator: true });
    expect((await api('PATCH', `/email-services/${ID}/limits`, { sandbox_daily: 0 })).body).toEqual({
      error: 'sandbox_daily must be at least 1.',
    });
  });
});
