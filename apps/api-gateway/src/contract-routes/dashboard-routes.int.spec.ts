import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createEmailService,
  createWebhook,
  getEmailService,
  getTrackedEmail,
  liftSuppression,
  listEmailDeliveries,
  listEmails,
  listWebhooks,
  preAddRecipient,
  Refusal,
  replaySince,
  verifyRecipient,
} from '@postern/contracts';
import { callDashboard, knowSession, WORKSPACE } from '../testing/dashboard-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { replyOf } from '../testing/replies.js';

const SERVICE = '0198c9f0-0000-7000-8000-000000000003';
const OTHER = '0198c9f0-0000-7000-8000-000000000004';

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => knowSession(gateway.services));

const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  callDashboard(gateway, method, path, body, headers);

const lastRequest = () => gateway.services.received.at(-1);

describe('email services', () => {
  it("are created in the session's workspace, with 201", async () => {
    const answer = await api('POST', '/email-services', { name: 'Shop' });
    expect([answer.status, answer.body]).toEqual([201, replyOf(createEmailService)]);
    expect(lastRequest()).toEqual({
      contract: 'create-email-service',
      request: { workspace_id: WORKSPACE, name: 'Shop' },
    });
  });

  it.each<[string, string, unknown, string]>([
    ['POST', '/email-services', { name: 'Shop', mode: 'production' }, 'Unknown field "mode"'],
    ['POST', '/email-services', {}, 'name is required'],
    ['POST', '/email-services', { name: '   ' }, 'name must not be empty'],
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
    ['GET', `/email-services/${SERVICE}/emails?colour=red`, undefined, 'Unknown field "colour"'],
    ['GET', `/email-services/${SERVICE}/stats?from=yesterday&to=2030-01-01`, undefined, 'from must be a date'],
    ['GET', `/email-services/${SERVICE}/stats?from=2030-01-01`, undefined, 'to is required'],
    ['POST', `/email-services/${SERVICE}/webhooks/${OTHER}/replay`, { since: 'today' }, 'since must be an ISO 8601'],
  ])('are refused with 400 and the field: %s %s %j', async (method, path, body, message) => {
    const answer = await api(method, path, body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(message) }]);
  });

  it.each([
    ['service_not_found', 404],
    ['invalid_input', 400],
  ] as const)('respond to %s with %i', async (code, status) => {
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
  it('filters messages by search text and state, and pages them', async () => {
    expect(
      (await api('GET', `/email-services/${SERVICE}/emails?search=ada&state=bounced&limit=5&offset=10`)).status,
    ).toBe(200);
    expect(gateway.services.requestsOf(listEmails)).toEqual([
      { service_id: SERVICE, search: 'ada', state: 'bounced', limit: 5, offset: 10 },
    ]);
  });

  it('returns no deliveries of a message that the service does not have', async () => {
    const path = `/email-services/${SERVICE}/emails/${OTHER}/webhook-deliveries`;
    const none = { items: [], total: 0, limit: 20, offset: 0 };
    gateway.services.on(listEmailDeliveries, () => none);
    const ofKnown = await api('GET', path);
    expect([ofKnown.status, ofKnown.body]).toEqual([200, none]);
    expect(gateway.services.requestsOf(getTrackedEmail)).toEqual([{ service_id: SERVICE, email_id: OTHER }]);

    gateway.services.on(getTrackedEmail, () => {
      throw new Refusal('email_not_found', 'there is no email with this id');
    });
    const ofUnknown = await api('GET', path);
    expect([ofUnknown.status, ofUnknown.headers['error-code']]).toEqual([404, 'email_not_found']);
  });

  it('removes a suppression by its address', async () => {
    const address = 'ada+a/b@büro.example';
    expect((await api('DELETE', `/email-services/${SERVICE}/suppressions/${encodeURIComponent(address)}`)).status).toBe(
      200,
    );
    expect(gateway.services.requestsOf(liftSuppression)).toEqual([{ service_id: SERVICE, address }]);
  });

  it('creates webhooks with 201 and lists them', async () => {
    const body = { url: 'https://example.com/hook', events: ['delivered'] };
    expect((await api('POST', `/email-services/${SERVICE}/webhooks`, body)).status).toBe(201);
    expect(gateway.services.requestsOf(createWebhook)).toEqual([
      { service_id: SERVICE, workspace_id: WORKSPACE, ...body },
    ]);
    expect((await api('GET', `/email-services/${SERVICE}/webhooks`)).body).toEqual(replyOf(listWebhooks));
  });

  it("adds the user's own login address as a recipient without a code", async () => {
    expect((await api('POST', `/email-services/${SERVICE}/recipients/me`)).status).toBe(201);
    expect(gateway.services.requestsOf(preAddRecipient)).toEqual([
      { workspace_id: WORKSPACE, service_id: SERVICE, address: 'owner@example.com' },
    ]);
  });

  it('verifies a recipient and replays webhooks since a time', async () => {
    await api('POST', `/email-services/${SERVICE}/recipients/${OTHER}/verify`, { code: '012345' });
    expect(gateway.services.requestsOf(verifyRecipient)[0]).toMatchObject({ recipient_id: OTHER, code: '012345' });
    const since = '2030-01-02T03:04:05Z';
    expect((await api('POST', `/email-services/${SERVICE}/webhooks/${OTHER}/replay`, { since })).status).toBe(200);
    expect(gateway.services.requestsOf(replaySince)[0]).toMatchObject({ webhook_id: OTHER, since });
  });
});
