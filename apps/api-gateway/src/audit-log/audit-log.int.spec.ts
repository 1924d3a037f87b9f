import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as contracts from '@postern/contracts';
import {
  admitPlatformCall,
  authenticateSession,
  BASE_PATHS,
  createEmailService,
  createSession,
  endSession,
  getEmailService,
  isRequestContract,
  Refusal,
  recordAuditEntry,
  switchWorkspace,
} from '@postern/contracts';
import { withoutEffect } from '@postern/messaging';
import { waitFor } from '@postern/testing';
import { routeInputOf } from '../contract-routes/route-input.js';
import { AUDITED_ROUTES } from '../infrastructure/http/audit/audited-routes.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { type Answer, call } from '../testing/http.js';
import { admitAll, bearer, KEY, REPORTED_KEY, USER, WORKSPACE } from '../testing/platform-call.js';
import { inputOf } from '../testing/replies.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const SESSION = { authorization: 'Bearer session-token', 'user-agent': 'curl/8.16.0' };
const REFUSED = { refused_key: { id: ID, workspace_id: WORKSPACE } };
const LOCAL = { network: '127.0.0.0/24', user_agent: 'curl' };

/** Writing routes that are not actions of users, or whose actions are calls of audited ones. */
const NOT_AUDITED = [
  'DELETE /scheduled-emails/:id',
  'DELETE /webhook-listeners/:id',
  'PATCH /scheduled-emails/:id',
  'POST /emails',
  'POST /emails/batch',
  'POST /mcp',
  'POST /providers/:kind/:token',
  'POST /scheduled-emails',
  'POST /u/:token',
  'POST /unsubscribe/:token',
  'POST /webhook-listeners',
];

const ROUTES = Object.values<unknown>(contracts)
  .filter(isRequestContract)
  .flatMap(contract => contract.http.map(route => ({ contract, route })))
  .filter(({ route }) => route.method !== 'GET')
  .flatMap(({ contract, route }) => [route.access].flat().map(access => ({ contract, route, access })))
  .map(one => ({ ...one, title: `${one.route.method} ${BASE_PATHS[one.access]}${one.route.path}` }));

let gateway: GatewayUnderTest;
let operator = true;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  operator = true;
  admitAll(gateway.services);
  gateway.services.on(authenticateSession, () => ({
    user_id: USER,
    email: 'o@x.example',
    operator,
    role: 'owner' as const,
    workspace_id: WORKSPACE,
  }));
});

const send = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = SESSION,
): Promise<Answer> => call(method, `${gateway.url}${path}`, { headers, ...(body === undefined ? {} : { body }) });

const audited = () => gateway.services.audited;

describe('The audit log', () => {
  it('covers every writing route of the gateway', () => {
    const writing = gateway.server.routes
      .all()
      .filter(({ method, pattern }) => !['GET', 'HEAD', 'OPTIONS'].includes(method) || pattern.endsWith('/shell'))
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, pattern }) => `${method} ${pattern}`);
    expect(writing.filter(route => !AUDITED_ROUTES.has(route)).sort()).toEqual(NOT_AUDITED);
    expect([...AUDITED_ROUTES.keys()].filter(route => !writing.includes(route))).toEqual([]);
  });

  it.each(ROUTES)('has one entry of $title with its actor and outcome', async ({ contract, route, access }) => {
    const path = `${BASE_PATHS[access]}${route.path.replace(/\{(\w+)\}/g, ID)}`;
    const body = routeInputOf(contract, route).body;
    const isKey = access === 'platform-key';
    const answer = await send(
      route.method,
      path,
      route.examples?.body ?? (body && inputOf(body)),
      isKey ? bearer : access === 'anyone' ? {} : SESSION,
    );
    expect(answer.status).toBeLessThan(300);
    const [attempt, outcome, ...more] = audited();
    expect(more).toEqual([]);
    const user = access === 'anyone' ? { type: 'unknown', id: null } : { type: 'user', id: USER };
    expect(attempt).toMatchObject({
      actor: isKey ? { type: 'platform_key', id: REPORTED_KEY.id } : user,
      action: AUDITED_ROUTES.get(`${route.method} ${patternOf(route.path, access)}`)?.action,
      workspace_id: access === 'workspace-member' ? ID : access === 'anyone' ? null : WORKSPACE,
      outcome: 'attempted',
      request_id: answer.headers['x-request-id'],
    });
    expect(outcome).toMatchObject({ entry_id: attempt?.entry_id, outcome: 'succeeded', code: null });
  });

  it('stores an attempt before the call starts, and its outcome before the response', async () => {
    let before = -1;
    gateway.services.on(createEmailService, () => {
      before = audited().length;
      return { ...contractReply, id: ID };
    });
    await send('POST', '/dashboard/api/email-services', { name: 'Shop' });
    expect([before, audited().length]).toEqual([1, 2]);
    expect(audited()[1]).toMatchObject({
      action: 'email_service.created',
      resource: { type: 'email_service', id: ID },
      client: LOCAL,
    });
  });

  it('contains refusals with their codes', async () => {
    gateway.services.on(createEmailService, () => {
      throw new Refusal('invalid_input', 'No.');
    });
    await send('POST', '/dashboard/api/email-services', { name: 'Shop' });
    expect(audited()[1]).toMatchObject({ outcome: 'refused', code: 'invalid_input' });
    await send('POST', '/dashboard/api/email-services', { colour: 'red' });
    expect(audited()[3]).toMatchObject({ outcome: 'refused', code: 'invalid_input' });
  });

  it('contains calls that admission refuses', async () => {
    operator = false;
    expect((await send('POST', `/dashboard/api/web-services/${ID}/block`, { reason: 'x' })).status).toBe(403);
    gateway.services.on(getEmailService, () => {
      throw new Refusal('service_not_found', 'No.');
    });
    expect((await send('POST', `/dashboard/api/email-services/${ID}/webhooks`, {})).status).toBe(404);
    expect(audited()).toMatchObject([
      {
        action: 'web_service.blocked',
        resource: { type: 'web_service', id: ID },
        outcome: 'refused',
        code: 'not_an_operator',
      },
      { action: 'webhook.created', outcome: 'refused', code: 'service_not_found' },
    ]);
  });

  it('contains failed calls, and leaves those open that may have been executed', async () => {
    for (const [error, expected] of [
      [withoutEffect(new Error('a bug')), { outcome: 'failed', code: 'internal_error' }],
      [new Error('a bug'), { outcome: 'attempted', code: 'outcome_unknown' }],
    ] as const) {
      gateway.services.on(createEmailService, () => {
        throw error;
      });
      await send('POST', '/dashboard/api/email-services', { name: 'Shop' });
      expect(audited().at(-1)).toMatchObject(expected);
    }
  });

  it('contains logins by address and logouts by user, without passwords and tokens', async () => {
    const credentials = { email: 'ada@example.com', password: 'a secret password' };
    gateway.services.on(createSession, () => ({
      token: 'a-secret-token',
      expires_at: '2030-01-02T03:04:05.000Z',
      device_token: 'd',
    }));
    gateway.services.on(endSession, () => ({}));
    gateway.services.on(switchWorkspace, () => ({ id: ID, name: 'Other' }));
    await send('POST', '/dashboard/api/session', credentials, {});
    gateway.services.on(createSession, () => {
      throw new Refusal('credentials_wrong', 'No.');
    });
    await send('POST', '/dashboard/api/session', credentials, {});
    await send('POST', '/dashboard/api/session/workspace', { workspace_id: ID });
    await send('DELETE', '/dashboard/api/session');
    expect(audited().map(({ action, outcome, code }) => [action, outcome, code])).toEqual([
      ['session.created', 'attempted', null],
      ['session.created', 'succeeded', null],
      ['session.created', 'attempted', null],
      ['session.created', 'refused', 'credentials_wrong'],
      ['session.workspace_switched', 'attempted', null],
      ['session.workspace_switched', 'succeeded', null],
      ['session.deleted', 'attempted', null],
      ['session.deleted', 'succeeded', null],
    ]);
    expect(audited()[3]?.login).toBe('ada@example.com');
    expect(JSON.stringify(audited())).not.toMatch(/secret/);
  });

  it('contains no calls of unknown callers, and no reads', async () => {
    await send('POST', '/dashboard/api/email-services', { name: 'Shop' }, {});
    await send('POST', '/dashboard/api/session', '{', {});
    await send('POST', '/api/v1/projects', { name: 'Shop' }, { authorization: `Bearer ${KEY}x` });
    await send('GET', '/dashboard/api/email-services');
    expect(audited()).toEqual([]);
  });

  it.each([
    ['unknown or revoked', 'platform_key_invalid', {}, 401, 'platform_key_invalid', null],
    [
      'expired',
      'platform_key_invalid',
      { reason: 'platform_key_expired', ...REFUSED },
      401,
      'platform_key_expired',
      ID,
    ],
    ['only for reading', 'insufficient_scope', REFUSED, 403, 'insufficient_scope', ID],
    ['restricted to other operations', 'operation_not_allowed', REFUSED, 403, 'operation_not_allowed', ID],
  ])('contains calls with a key that is %s, including reads', async (_what, refusal, details, status, code, id) => {
    gateway.services.on(admitPlatformCall, () => {
      throw new Refusal(refusal, 'No.', details);
    });
    const headers = { ...bearer, 'user-agent': 'curl/8.16.0' };
    const answer = await send('GET', '/api/v1/projects', undefined, headers);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toContain(WORKSPACE);
    await waitFor(() => audited().length > 0);
    expect(audited()).toMatchObject([
      {
        actor: id ? { type: 'platform_key', id } : { type: 'unknown', id: null },
        action: 'platform_key.used',
        resource: { type: 'platform_key', id },
        workspace_id: id ? WORKSPACE : null,
        client: LOCAL,
        outcome: 'refused',
        code,
      },
    ]);
  });

  it('does not store a path parameter that is not an id', async () => {
    await send('DELETE', '/dashboard/api/platform-keys/a%00b');
    await send('DELETE', `/dashboard/api/email-services/${ID}/suppressions/ada@example.com`);
    expect(audited().map(({ resource }) => resource)).toEqual([
      { type: 'platform_key', id: null },
      { type: 'suppression', id: null },
      { type: 'suppression', id: null },
    ]);
  });

  it('refuses a call that cannot be stored, and does not execute it', async () => {
    gateway.services.on(recordAuditEntry, () => {
      throw new Error('the disk is full');
    });
    expect((await send('POST', '/dashboard/api/email-services', { name: 'Shop' })).status).toBe(500);
    expect(gateway.services.requestsOf(createEmailService)).toEqual([]);
  });

  it('does not change the response of a call whose outcome cannot be stored', async () => {
    let stored = 0;
    gateway.services.on(recordAuditEntry, () => {
      if (++stored > 1) throw new Error('the disk is full');
      return {};
    });
    expect((await send('POST', '/dashboard/api/email-services', { name: 'Shop' })).status).toBe(201);
    expect(audited()[0]).toMatchObject({ outcome: 'attempted' });
  });
});

const contractReply = { name: 'Shop' } as never as contracts.ReplyOf<typeof createEmailService>;

const patternOf = (path: string, access: (typeof ROUTES)[number]['access']) =>
  `${BASE_PATHS[access]}${path.replace(/\{(\w+)\}/g, ':$1')}`;
