import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  listEmailProblems,
  listEmailServices,
  listPlatformProblems,
  listSenderProblems,
  listWebhookProblems,
  type Problem,
} from '@postern/contracts';
import { callDashboard, knowSession, WORKSPACE } from '../testing/dashboard-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';

const SERVICE = '0198c9f0-0000-7000-8000-00000000000a';
let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway.stop());

beforeEach(() => {
  const { services } = gateway;
  knowSession(services);
  for (const contract of [listPlatformProblems, listEmailProblems, listWebhookProblems, listSenderProblems])
    services.on(contract, () => ({ problems: [] }));
  services.on(listEmailServices, () => []);
});

const problem = (severity: Problem['severity'], since: string | null, name: string): Problem => ({
  kind: 'webhook_failing',
  severity,
  message: `${name} fails.`,
  fix: 'Repair it.',
  page: `/services/${SERVICE}`,
  resource: { type: 'webhook', id: SERVICE, name },
  since,
});

describe('GET /dashboard/api/status', () => {
  it('is calm when nothing is wrong', async () => {
    const answer = await callDashboard(gateway, 'GET', '/status');
    expect([answer.status, answer.body]).toEqual([
      200,
      { ok: true, summary: 'Everything works.', problems: [], unchecked: [] },
    ]);
    expect(gateway.services.requestsOf(listPlatformProblems)).toEqual([{ workspace_id: WORKSPACE }]);
  });

  it('lists the problems of all services, errors first and then the newest', async () => {
    const { services } = gateway;
    const [old, recent] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
    services.on(listPlatformProblems, () => ({
      problems: [problem('warning', recent, 'a'), problem('error', old, 'b')],
    }));
    services.on(listWebhookProblems, () => ({
      problems: [problem('error', recent, 'c'), problem('error', null, 'd')],
    }));
    const answer = await callDashboard(gateway, 'GET', '/status');
    expect(answer.body).toMatchObject({ ok: false, summary: '4 things need you.', unchecked: [] });
    expect((answer.body as { problems: Problem[] }).problems.map(({ resource }) => resource.name)).toEqual([
      'c',
      'b',
      'd',
      'a',
    ]);
  });

  it('says which parts could not be checked, instead of claiming that they work', async () => {
    gateway.services.on(listSenderProblems, () => {
      throw new Error('the database is down');
    });
    const answer = await callDashboard(gateway, 'GET', '/status');
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { ok: false, summary: 'Nothing wrong was found. Not checked now: Messages.', unchecked: ['Messages'] },
    ]);
  });

  it('names the email services of the workspace alone', async () => {
    const [service] = [{ id: SERVICE, name: 'Shop' }];
    gateway.services.on(listEmailServices, () => [
      {
        ...service!,
        workspace_id: WORKSPACE,
        mode: 'sandbox' as const,
        enabled: true,
        open_tracking: true,
        click_tracking: false,
        suppression: false,
        daily_limit: 50,
        per_minute_limit: 60,
        sent_today: 0,
        quota_history: [],
        created_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
    await callDashboard(gateway, 'GET', '/status');
    expect(gateway.services.requestsOf(listWebhookProblems)).toEqual([{ services: [service] }]);
    expect(gateway.services.requestsOf(listEmailServices)).toEqual([{ workspace_id: WORKSPACE }]);
  });

  it('needs a session', async () => {
    expect((await callDashboard(gateway, 'GET', '/status', undefined, {})).status).toBe(401);
  });
});
