import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  authenticateSession,
  exportAuditLog,
  exportEmails,
  exportSuppressions,
  getMembership,
} from '@postern/contracts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ALL_REQUESTS } from '../../../testing/fake-services.js';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { call } from '../../../testing/http.js';
import { admitAll, bearer } from '../../../testing/platform-call.js';
import { replyOf } from '../../../testing/replies.js';

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: object;
}

interface DocumentedOperation {
  readonly parameters?: readonly { readonly name: string; readonly schema: { readonly enum?: readonly string[] } }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } };
  readonly responses: Record<string, { readonly headers?: object; readonly content?: object }>;
}

/** Paths of routes that are not part of the API. */
const NOT_API =
  /^\/(?:$|favicon\.ico$|robots\.txt$|llms\.txt$|install\.sh$|packages\/|mcp$|health|o\/|c\/|u\/|unsubscribe|tls\/ask|hooks\/deploy\/|providers\/|docs|dashboard(?:$|\/(?!api\/))|(?:dashboard\/api\/)?openapi\.json)/;
const METHODS = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'];
const DETAIL = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Detail' } } } };

const operationsIn = ({ paths }: Document, prefix: string) =>
  Object.entries(paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));

const allowDashboardCalls = () => {
  for (const contract of ALL_REQUESTS) gateway.services.on(contract, () => replyOf(contract));
  gateway.services.on(getMembership, () => ({ role: 'owner' as const }));
  gateway.services.on(exportEmails, () => ({ emails: [], after: null }));
  gateway.services.on(authenticateSession, () => ({
    user_id: ID,
    email: 'a@b.c',
    operator: true,
    role: 'owner' as const,
    workspace_id: ID,
  }));
};

let gateway: GatewayUnderTest;
let publicApi: Document;
let dashboardApi: Document;

beforeAll(async () => {
  // The tests call each method of each path without a credential.
  gateway = await startGateway({ POSTERN_CLIENT_REQUESTS_PER_SECOND: '1000000' });
  publicApi = (await call('GET', `${gateway.url}/openapi.json`)).body as Document;
  dashboardApi = (await call('GET', `${gateway.url}/dashboard/api/openapi.json`)).body as Document;
});
afterAll(() => gateway.stop());

describe('the OpenAPI documents', () => {
  it('are valid OpenAPI 3.1', async () => {
    for (const document of [publicApi, dashboardApi]) {
      const validator = new Validator();
      expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true });
      expect(validator.version).toBe('3.1');
    }
  });

  it('contain every method of their paths, and no path accepts another method', async () => {
    for (const { paths } of [publicApi, dashboardApi]) {
      for (const [path, methods] of Object.entries(paths)) {
        const url = gateway.url + path.replace(/\{\w+\}/g, ID);
        const documented = Object.keys(methods).map(method => method.toUpperCase());
        const allow = [...documented, ...(documented.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
        expect([path, (await call('OPTIONS', url)).headers['allow']]).toEqual([path, allow]);
        for (const method of METHODS.filter(one => !documented.includes(one)))
          expect([method, path, (await call(method, url)).status]).toEqual([method, path, 405]);
      }
    }
  });

  it('contain the media type of each format in which a list is returned', async () => {
    allowDashboardCalls();
    gateway.services.on(exportAuditLog, () => ({ entries: [], cursor: null }));
    gateway.services.on(exportSuppressions, () => ({ entries: [], after: null }));
    const found: string[] = [];
    for (const { path, operation } of operationsIn(dashboardApi, '/dashboard/api/')) {
      const formats = operation.parameters?.find(({ name }) => name === 'format')?.schema.enum ?? [];
      for (const format of formats) {
        const url = `${gateway.url}${path.replace(/\{\w+\}/g, ID)}?format=${format}`;
        const { headers } = await call('GET', url, { headers: { authorization: 'Bearer t' } });
        const type = String(headers['content-type']).split(';')[0] ?? '';
        expect([path, ...Object.keys(operation.responses[200]?.content ?? {})]).toContain(type);
        found.push(type);
      }
    }
    expect(found).toEqual(expect.arrayContaining(['application/json', 'text/csv', 'application/x-ndjson']));
  });

  it('contain every route of the gateway, except pages, tracking links, deploy hooks, health checks, the request of a TLS proxy, and the documents', () => {
    const documented = [publicApi, dashboardApi].flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map(method => `${method} ${path}`)),
    );
    const served = gateway.server.routes
      .all()
      .filter(({ method, pattern }) => method !== 'HEAD' && !NOT_API.test(pattern))
      .map(({ method, pattern }) => `${method.toLowerCase()} ${pattern.replace(/:(\w+)/g, '{$1}')}`);
    expect(served.length).toBeGreaterThan(40);
    expect([...documented].sort()).toEqual(served.sort());
  });

  it('contain the fields, headers and statuses of POST /emails', () => {
    expect(publicApi.paths['/emails']?.['post']).toMatchObject({
      security: [{ apiKey: [] }],
      requestBody: {
        content: {
          'application/json': {
            schema: {
              oneOf: [
                { required: ['from', 'to', 'subject', 'message'] },
                { required: ['from', 'to', 'subject', 'text'] },
                { required: ['from', 'to', 'template'] },
              ],
            },
          },
        },
      },
      responses: {
        200: {
          headers: { 'RateLimit-Remaining': {} },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/EmailRecord' } } },
        },
        400: {},
        401: {},
        403: {},
        409: {},
        413: {},
        415: {},
        429: {},
        503: {},
      },
    });
  });

  it('contain the success status of each dashboard call', async () => {
    allowDashboardCalls();
    for (const [path, methods] of Object.entries(dashboardApi.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const url = `${gateway.url}${path.replace('{address}', 'a%40b.c').replace(/\{\w+\}/g, ID)}`;
        const query = path.endsWith('/stats') ? '?from=2030-01-01&to=2030-01-02' : '';
        const answer = await call(method.toUpperCase(), `${url}${query}`, {
          headers: { authorization: 'Bearer t' },
          ...(BODIES[`${method} ${path.slice('/dashboard/api'.length)}`] ?? {}),
        });
        const successes = Object.keys(responses).filter(status => status.startsWith('2'));
        expect(successes.map(status => `${method} ${path} ${status}`)).toContain(`${method} ${path} ${answer.status}`);
      }
    }
  });

  it('contain the success status of each call of the platform API', async () => {
    admitAll(gateway.services);
    for (const { path, method, operation } of operationsIn(publicApi, '/api/v1/')) {
      const { requestBody, responses } = operation;
      const body = requestBody?.content['application/json'].example;
      const answer = await call(method.toUpperCase(), `${gateway.url}${path.replace(/\{\w+\}/g, ID)}`, {
        headers: bearer,
        ...(body === undefined ? {} : { body }),
      });
      // A shell is a WebSocket, which this request does not ask for.
      const expected = Object.keys(responses).filter(status => status.startsWith('2') || status === '426');
      expect(expected.map(status => `${method} ${path} ${status}`)).toContain(`${method} ${path} ${answer.status}`);
    }
  });

  it('contain security, rate limit and error shapes of every call of the platform API', () => {
    const operations = operationsIn(publicApi, '/api/v1/');
    expect(operations).toHaveLength(84);
    for (const { method, operation } of operations) {
      expect(operation).toMatchObject({
        security: [{ platformKey: [] }],
        responses: { 401: DETAIL, 429: DETAIL, 503: DETAIL },
      });
      for (const [status, response] of Object.entries(operation.responses)) {
        if (status.startsWith('2')) expect(response.headers).toHaveProperty('RateLimit-Remaining');
      }
      expect(operation.responses['403']).toMatchObject({
        description: expect.stringContaining(method === 'get' ? 'operation_not_allowed' : 'insufficient_scope'),
      });
      expect(operation.responses).not.toHaveProperty('422');
    }
    expect(publicApi.components).toMatchObject({
      securitySchemes: { platformKey: { type: 'http', scheme: 'bearer' } },
      schemas: { Detail: { required: ['detail'] }, Forbidden: { required: ['detail'] } },
    });
  });
});

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const SERVICE = '/email-services/{service_id}';
const WEB_SERVICE = '/web-services/{web_service_id}';
const PROJECT = '/projects/{project_id}';
const BODIES: Readonly<Record<string, { readonly body: object }>> = {
  'patch /me': { body: { service_mails: false } },
  'patch /workspaces/{id}': { body: { name: 'Ours' } },
  'patch /users/{id}': { body: { enabled: false } },
  'patch /workspaces/{id}/quotas': { body: { projects: 100 } },
  'post /session': { body: { email: 'a@b.c', password: 'p' } },
  'post /session/workspace': { body: { workspace_id: ID } },
  'post /me/password': { body: { current_password: 'p', new_password: 'a long password' } },
  'post /me/second-factor': { body: { password: 'p' } },
  'post /me/second-factor/confirm': { body: { code: '123456' } },
  'post /me/second-factor/recovery-codes': { body: { password: 'p', code: '123456' } },
  'post /me/second-factor/disable': { body: { password: 'p', code: '123456' } },
  'post /users': { body: { email: 'a@b.c', password: 'a long password' } },
  'post /password-reset': { body: { email: 'bea@example.com' } },
  'post /password-reset/confirm': { body: { token: 'x'.repeat(43), password: 'a long enough password' } },
  'post /invitations/accept': { body: { token: 'x'.repeat(43), password: 'a long enough password' } },
  'post /email-services/{service_id}/emails/{email_id}/send-again': { body: { to: ['a@b.c'] } },
  'post /workspaces': { body: { name: 'Ours' } },
  'post /workspaces/{id}/members': { body: { email: 'bea@example.com', role: 'viewer' } },
  'patch /workspaces/{id}/members/{member_id}': { body: { role: 'owner' } },
  'post /email-services': { body: { name: 'Shop' } },
  [`patch ${SERVICE}`]: { body: { enabled: false } },
  [`post ${SERVICE}/api-keys`]: { body: { name: 'Main' } },
  [`post ${SERVICE}/domains`]: { body: { domain: 'example.com' } },
  [`post ${SERVICE}/recipients`]: { body: { address: 'a@b.c' } },
  [`post ${SERVICE}/suppressions`]: { body: { address: 'a@b.c' } },
  [`post ${SERVICE}/bounce-rules`]: { body: { phrase: 'rejected by local policy', cause: 'policy' } },
  [`post ${SERVICE}/recipients/{recipient_id}/verify`]: { body: { code: '123456' } },
  [`patch ${SERVICE}/scheduled-emails/{scheduled_email_id}`]: { body: { send_at: '2030-01-02T03:04:05Z' } },
  [`post ${SERVICE}/templates`]: { body: { name: 'receipt', subject: 'Receipt', html: '<p>Thanks</p>' } },
  [`patch ${SERVICE}/templates/{template_id}`]: { body: { subject: 'Receipt' } },
  [`post ${SERVICE}/templates/{template_id}/preview`]: { body: { variables: {} } },
  [`post ${SERVICE}/templates/{template_id}/test`]: { body: { from: 'a@b.c', to: ['a@b.c'] } },
  [`post ${SERVICE}/webhooks`]: { body: { url: 'https://a.b/c', events: ['opened'] } },
  [`patch ${SERVICE}/webhooks/{webhook_id}`]: { body: { enabled: true } },
  [`post ${SERVICE}/webhooks/{webhook_id}/test`]: { body: { event: 'opened' } },
  [`post ${SERVICE}/webhooks/{webhook_id}/replay`]: { body: { since: '2030-01-02T03:04:05Z' } },
  [`patch ${SERVICE}/limits`]: { body: { sandbox_daily: 100 } },
  'post /projects': { body: { name: 'Shop' } },
  [`patch ${PROJECT}`]: { body: { name: 'Store' } },
  [`patch ${WEB_SERVICE}`]: { body: { min_instances: 2 } },
  [`post ${PROJECT}/secrets`]: { body: { key: 'A', value: '1', scope: 'staging' } },
  [`put ${PROJECT}/secrets/bulk`]: { body: { secrets: [{ key: 'A', value: '1', scope: 'staging' }] } },
  'post /web-services': { body: { name: 'web', project_id: ID, git_repository_url: 'https://a.b/c', port: 80 } },
  [`post ${WEB_SERVICE}/env`]: { body: { key: 'A', value: '1' } },
  [`put ${WEB_SERVICE}/env/bulk`]: { body: { variables: [{ key: 'A', value: '1' }] } },
  [`put ${WEB_SERVICE}/files`]: { body: { files: [{ path: 'google.json', content: '{}' }] } },
  [`post ${WEB_SERVICE}/domains`]: { body: { domain: 'shop.example.com' } },
  [`put ${WEB_SERVICE}/git-token`]: { body: { token: 'a-long-token' } },
  [`put ${WEB_SERVICE}/registry-credentials`]: { body: { username: 'ada', password: 'a-long-password' } },
  [`post ${WEB_SERVICE}/cron-jobs`]: { body: { name: 'nightly', schedule: '0 3 * * *', command: 'node report.js' } },
  [`patch ${WEB_SERVICE}/cron-jobs/{cron_job_id}`]: { body: { enabled: false } },
  [`post ${WEB_SERVICE}/log-drains`]: { body: { kind: 'https', url: 'https://logs.example.com/' } },
  [`patch ${WEB_SERVICE}/log-drains/{drain_id}`]: { body: { enabled: true } },
  [`post ${WEB_SERVICE}/runs`]: { body: { command: 'node migrate.js' } },
  'post /databases/{database_id}/attachments': { body: { web_service_id: ID } },
  'patch /databases/{database_id}': { body: { external_access: { enabled: false } } },
  'post /databases/{database_id}/extensions': { body: { name: 'citext' } },
  [`post ${WEB_SERVICE}/block`]: { body: { reason: 'Phishing.' } },
  'post /provider-endpoints': { body: { kind: 'postmark' } },
  'post /notification-targets': { body: { kind: 'slack', url: 'https://hooks.example.com/x' } },
  'put /email-services/{service_id}/domains/{domain_id}/tracking-host': { body: { host: 'click.example.com' } },
  'post /management-keys': { body: { name: 'CI', scopes: ['domains'] } },
  'post /platform-keys': { body: { name: 'CI', scope: 'read' } },
  'post /databases': { body: { name: 'orders', kind: 'relational' } },
};
