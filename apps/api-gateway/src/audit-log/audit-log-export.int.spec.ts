import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AuditEntry,
  authenticateSession,
  exportAuditLog,
  listAuditLog,
  nameEmailResources,
  nameWebhooks,
  Refusal,
} from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import { USER, WORKSPACE } from '../testing/platform-call.js';

const READER = { user_id: USER, workspace_id: WORKSPACE };
const TIME = '2030-01-02T03:04:05.000Z';

const entry = (overrides: Partial<AuditEntry> = {}): AuditEntry => ({
  id: '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f',
  at: TIME,
  actor: { type: 'user', id: USER, name: 'ada@example.com' },
  action: 'email_service.created',
  resource: { type: 'email_service', id: null },
  workspace_id: WORKSPACE,
  client: { network: '192.0.2.0/24', user_agent: 'Firefox' },
  outcome: 'succeeded',
  code: null,
  request_id: 'r-1',
  times: 1,
  ...overrides,
});

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  gateway.services.on(authenticateSession, () => ({
    ...READER,
    email: 'o@x.example',
    operator: false,
    role: 'owner' as const,
  }));
  gateway.services.on(listAuditLog, ({ limit, offset }) => ({ items: [entry()], total: 1, limit, offset }));
  gateway.services.on(exportAuditLog, ({ cursor }) =>
    cursor === null
      ? { entries: [entry()], cursor: 'next' }
      : {
          entries: [
            entry({ request_id: '-1', code: 'a,"b"', resource: { type: 'email_service', id: null, name: '=Shop' } }),
          ],
          cursor: null,
        },
  );
});

const get = (query: string, headers: Record<string, string> = { authorization: 'Bearer token' }) =>
  call('GET', `${gateway.url}/dashboard/api/audit-log${query}`, { headers });

describe('GET /dashboard/api/audit-log', () => {
  it('has the names of resources that other services know, and only ids while one of them does not respond', async () => {
    const [key, webhook, refused] = [USER, WORKSPACE, entry().id] as const;
    const items = [
      entry({ resource: { type: 'api_key', id: key, name: null } }),
      entry({ resource: { type: 'webhook', id: webhook } }),
      entry({ resource: { type: 'api_key', id: refused, name: null }, outcome: 'refused' }),
    ];
    gateway.services.on(listAuditLog, ({ limit, offset }) => ({ items, total: 3, limit, offset }));
    gateway.services.on(nameEmailResources, ({ ids }) => ({ resources: ids.map(id => ({ id, name: 'Server' })) }));
    gateway.services.on(nameWebhooks, () => {
      throw new Error('no reply');
    });
    const namesOf = async () =>
      ((await get('')).body as { items: AuditEntry[] }).items.map(({ resource }) => resource.name ?? null);
    expect(await namesOf()).toEqual(['Server', 'Server', null]);
    expect(gateway.services.requestsOf(nameEmailResources)).toEqual([{ ids: [key, webhook] }]);
    gateway.services.on(nameEmailResources, () => ({ resources: [{ id: key, name: 'Server' }] }));
    expect(await namesOf()).toEqual(['Server', null, null]);
  });

  it("lists the entries of the session's workspace", async () => {
    const answer = await get(`?from=${TIME}&to=${TIME}&actor=user&action=email_service.created&limit=5&offset=10`);
    expect([answer.status, answer.body]).toEqual([200, { items: [entry()], total: 1, limit: 5, offset: 10 }]);
    const parameters = { from: TIME, to: TIME, actor: 'user', action: 'email_service.created', limit: 5, offset: 10 };
    expect(gateway.services.requestsOf(listAuditLog)).toEqual([{ ...parameters, ...READER }]);
  });

  it.each(['?limit=101', '?limit=x', '?from=yesterday', '?workspace_id=x', '?format=xml', '?actor=a%00b'])(
    'responds with 400 to %s',
    async query => expect((await get(query)).status).toBe(400),
  );

  it('responds with 401 without a session', async () => expect((await get('', {})).status).toBe(401));

  it('returns all entries as CSV, without formulas', async () => {
    const answer = await get('?format=csv&actor=user');
    expect([answer.status, answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="audit-log.csv"',
    ]);
    const [head, first, second, ...rest] = answer.text.split('\r\n');
    expect(head).toMatch(/^id,at,actor_type,actor_id,action,/);
    expect(first).toMatch(
      /,user,0198[^,]*,email_service\.created,email_service,,0198[^,]*,192\.0\.2\.0\/24,Firefox,succeeded,,r-1,1,ada@example\.com,$/,
    );
    expect(second).toMatch(/,"a,""b""",'-1,1,ada@example\.com,'=Shop$/);
    expect(rest).toEqual(['']);
    expect(gateway.services.requestsOf(exportAuditLog)).toEqual([
      { actor: 'user', ...READER, cursor: null },
      { actor: 'user', ...READER, cursor: 'next' },
    ]);
  });

  it('returns all entries as newline-delimited JSON', async () => {
    const answer = await get('?format=ndjson');
    const lines = answer.text.trim().split('\n');
    expect(lines.map(line => JSON.parse(line))).toMatchObject([{ request_id: 'r-1' }, { request_id: '-1' }]);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
  });

  it('responds with an error if the file cannot start, and ends early if it cannot continue', async () => {
    gateway.services.on(exportAuditLog, ({ cursor }) => {
      if (cursor !== null) throw new Error('a bug');
      return { entries: [entry()], cursor: 'next' };
    });
    await expect(get('?format=csv')).rejects.toThrow();
    gateway.services.on(exportAuditLog, () => {
      throw new Refusal('invalid_input', 'No.');
    });
    expect((await get('?format=csv')).status).toBe(400);
  });
});
