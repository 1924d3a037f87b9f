import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addSendingDomain,
  authenticateManagementKey,
  authenticateSession,
  createManagementKey,
  getEmailService,
  listEmailServices,
  type ManagementScope,
  Refusal,
} from '@postern/contracts';
import { callDashboard, knowSession, USER, WORKSPACE } from '../../../testing/dashboard-call.js';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { replyOf } from '../../../testing/replies.js';

const KEY = `em_admin_${'a1B2'.repeat(10)}xyz`;
const SERVICE = '0198c9f0-0000-7000-8000-00000000000a';
const OTHER = '0198c9f0-0000-7000-8000-00000000000b';
let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway.stop());
beforeEach(() => knowSession(gateway.services));

/** Makes `KEY` a key with these scopes. */
const know = (scopes: ManagementScope[], service_id: string | null = null, role: 'owner' | 'viewer' = 'owner') =>
  gateway.services.on(authenticateManagementKey, ({ key_hash }) => {
    if (key_hash !== createHash('sha256').update(KEY).digest('hex'))
      throw new Refusal('management_key_invalid', 'the management key is invalid, expired or revoked');
    return {
      key: { id: OTHER, name: 'CI', key_prefix: KEY.slice(0, 13), scopes, service_id, expiry: null },
      user_id: USER,
      email: 'owner@example.com',
      workspace_id: WORKSPACE,
      role,
    };
  });
const call = async (method: string, path: string, body?: unknown, key = KEY) => {
  const answer = await callDashboard(gateway, method, path, body, { authorization: `Bearer ${key}` });
  return { status: answer.status, code: answer.headers['error-code'], body: answer.body };
};
const of = (service: string, rest: string) => `/email-services/${service}${rest}`;

describe('a management key', () => {
  it('calls what its scopes allow, for its workspace and as an actor of its own', async () => {
    know(['domains']);
    expect((await call('POST', of(SERVICE, '/domains'), { domain: 'shop.example.com' })).status).toBe(201);
    expect(gateway.services.requestsOf(addSendingDomain)).toEqual([
      { workspace_id: WORKSPACE, service_id: SERVICE, domain: 'shop.example.com' },
    ]);
    expect(gateway.services.audited.at(-1)?.actor).toEqual({ type: 'management_key', id: OTHER });
    expect((await call('GET', of(SERVICE, ''))).status).toBe(200);
  });

  it.each<[ManagementScope, string, string, unknown]>([
    ['domains', 'GET', '/domains', undefined],
    ['webhooks', 'GET', '/webhooks', undefined],
    ['webhooks', 'POST', `/webhooks/${OTHER}/test`, { event: 'delivered' }],
    ['suppressions', 'GET', '/suppressions', undefined],
    ['suppressions', 'POST', '/suppressions', { address: 'ada@example.net' }],
    ['messages:read', 'GET', '/emails', undefined],
    ['messages:read', 'GET', `/emails/${OTHER}`, undefined],
    ['messages:read', 'GET', '/stats?from=2026-01-01&to=2026-01-02', undefined],
    ['messages:read', 'GET', '/requests', undefined],
    ['keys', 'POST', '/api-keys', { name: 'app' }],
  ])('needs the scope %s for %s %s', async (scope, method, path, body) => {
    know([scope]);
    expect((await call(method, of(SERVICE, path), body)).status).toBeLessThan(300);
    know(scope === 'domains' ? ['keys'] : ['domains']);
    expect(await call(method, of(SERVICE, path), body)).toMatchObject({
      status: 403,
      code: 'scope_insufficient',
      body: { error: expect.stringContaining(`the scope ${scope}`) },
    });
  });

  it.each<[string, string, unknown]>([
    ['GET', '/me', undefined],
    ['POST', '/management-keys', { name: 'more', scopes: ['keys'] }],
    ['POST', '/platform-keys', { name: 'more', scope: 'write' }],
    ['DELETE', of(SERVICE, ''), undefined],
    ['PATCH', of(SERVICE, ''), { enabled: false }],
    ['POST', '/email-services', { name: 'more' }],
    ['GET', '/web-services', undefined],
    ['GET', '/users', undefined],
    ['GET', `/workspaces/${WORKSPACE}/members`, undefined],
  ])('cannot call %s %s', async (method, path, body) => {
    know(['domains', 'webhooks', 'suppressions', 'messages:read', 'keys']);
    expect(await call(method, path, body)).toMatchObject({ status: 403, code: 'management_key_not_allowed' });
  });

  it('of one email service knows no other', async () => {
    know(['domains', 'messages:read'], SERVICE);
    expect((await call('GET', of(SERVICE, '/domains'))).status).toBe(200);
    for (const path of ['', '/domains', '/emails'])
      expect(await call('GET', of(OTHER, path))).toMatchObject({ status: 404, code: 'service_not_found' });
    expect(await call('GET', '/status')).toMatchObject({ status: 404 });
    const services = [SERVICE, OTHER].map(id => ({ ...(replyOf(getEmailService) as object), id }));
    gateway.services.on(listEmailServices, () => services as never);
    expect((await call('GET', '/email-services')).body).toMatchObject([{ id: SERVICE }]);
  });

  it('has at most the role of its user', async () => {
    know(['domains'], null, 'viewer');
    expect((await call('GET', of(SERVICE, '/domains'))).status).toBe(200);
    expect(await call('POST', of(SERVICE, '/domains'), { domain: 'a.example' })).toMatchObject({
      status: 403,
      code: 'role_insufficient',
    });
  });

  it.each([
    ['unknown', `em_admin_${'b'.repeat(43)}`],
    ['malformed', 'em_admin_short'],
  ])('that is %s is refused with 401', async (_, key) => {
    know(['domains']);
    expect(await call('GET', of(SERVICE, '/domains'), undefined, key)).toMatchObject({
      status: 401,
      code: 'management_key_invalid',
    });
    expect(gateway.services.requestsOf(authenticateSession)).toEqual([]);
  });

  it('is created for an email service of the workspace alone', async () => {
    gateway.services.on(getEmailService, ({ service_id }) => {
      if (service_id === OTHER) throw new Refusal('service_not_found', 'there is no such email service');
      return replyOf(getEmailService) as never;
    });
    const input = { name: 'CI', scopes: ['domains'] };
    expect((await callDashboard(gateway, 'POST', '/management-keys', { ...input, service_id: SERVICE })).status).toBe(
      201,
    );
    const refused = await callDashboard(gateway, 'POST', '/management-keys', { ...input, service_id: OTHER });
    expect([refused.status, refused.headers['error-code']]).toEqual([404, 'service_not_found']);
    expect(gateway.services.requestsOf(createManagementKey)).toHaveLength(1);
    for (const scopes of [[], ['everything'], 'domains', undefined]) {
      const answer = await callDashboard(gateway, 'POST', '/management-keys', { name: 'CI', scopes });
      expect([scopes, answer.status]).toEqual([scopes, 400]);
    }
  });
});
