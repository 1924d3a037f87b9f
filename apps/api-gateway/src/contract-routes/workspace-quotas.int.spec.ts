import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  createEmailService,
  createProject,
  createWebhook,
  getWorkspaceQuotas,
  listEmailServices,
  QUOTA_NAMES,
  quotaReached,
  setWorkspaceQuotas,
  type WorkspaceQuotas,
} from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import { admitAll, bearer as platformKey, signInAs, USER, WORKSPACE } from '../testing/platform-call.js';

const PATH = `/workspaces/${WORKSPACE}/quotas`;
const QUOTAS_SET = { email_services: 3 };
const use = { used: null, limit: 20, default_limit: 20 };
const QUOTAS_REPLY = Object.fromEntries(QUOTA_NAMES.map(name => [name, use])) as WorkspaceQuotas;

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  admitAll(gateway.services);
  gateway.services.on(listEmailServices, () => []);
  gateway.services.on(getWorkspaceQuotas, () => QUOTAS_REPLY);
  gateway.services.on(setWorkspaceQuotas, () => QUOTAS_REPLY);
  signInAs(gateway.services, { quotas: QUOTAS_SET });
});

const api = (method: string, path: string, body?: unknown) =>
  call(method, `${gateway.url}/dashboard/api${path}`, {
    headers: { authorization: 'Bearer t' },
    ...(body === undefined ? {} : { body }),
  });

it('The quotas of a workspace include the usage from email-send', async () => {
  const { status, body } = await api('GET', PATH);
  expect([status, body]).toEqual([200, { ...QUOTAS_REPLY, email_services: { ...use, used: 0 } }]);
  expect(gateway.services.requestsOf(getWorkspaceQuotas)).toEqual([{ actor_id: USER, id: WORKSPACE }]);
});

it('Operators can change quotas, and other users cannot', async () => {
  expect((await api('PATCH', PATH, { projects: 100 })).status).toBe(403);
  signInAs(gateway.services, { operator: true, quotas: QUOTAS_SET });
  expect((await api('PATCH', PATH, { projects: 100, databases: null })).status).toBe(200);
  expect(gateway.services.requestsOf(setWorkspaceQuotas)).toEqual([
    { actor_id: USER, id: WORKSPACE, quotas: { projects: 100, databases: null } },
  ]);
  for (const body of [{ projects: -1 }, { projects: 'many' }, { colours: 3 }, { projects: 1.5 }])
    expect((await api('PATCH', PATH, body)).status).toBe(400);
});

it('Requests to create email resources contain the quotas that an operator has set', async () => {
  await api('POST', '/email-services', { name: 'Shop', workspace_quotas: { email_services: 1000 } });
  expect(gateway.services.requestsOf(createEmailService)).toEqual([]);
  await api('POST', '/email-services', { name: 'Shop' });
  await api('POST', `/email-services/${USER}/webhooks`, { url: 'https://example.com', events: ['delivered'] });
  for (const contract of [createEmailService, createWebhook])
    expect(gateway.services.requestsOf(contract)).toMatchObject([{ workspace_quotas: { email_services: 3 } }]);
});

it('Exceeding a quota gets 409 with the name of the quota, in the error shape of each API', async () => {
  gateway.services.on(createProject, () => {
    throw quotaReached('projects', 50);
  });
  const message = expect.stringMatching(/^At most 50 projects per workspace \(quota projects\)/);
  const onDashboard = await api('POST', '/projects', { name: 'Shop' });
  expect([onDashboard.status, onDashboard.body]).toEqual([409, { error: message }]);
  const onPlatform = await call('POST', `${gateway.url}/api/v1/projects`, {
    headers: platformKey,
    body: { name: 'Shop' },
  });
  expect([onPlatform.status, onPlatform.body]).toEqual([409, { detail: message }]);
  expect(onPlatform.headers['error-code']).toBe('quota_reached');
});
