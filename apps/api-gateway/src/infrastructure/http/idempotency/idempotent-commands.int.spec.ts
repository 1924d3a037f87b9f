import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  admitPlatformCall,
  createEmailService,
  createPlatformKey,
  createProject,
  listEmailServices,
  listProjects,
  recordAuditEntry,
  restartWebService,
  setWorkspaceQuotas,
} from '@postern/contracts';
import { TemporarilyUnavailable } from '@postern/messaging';
import { callDashboard, knowSession } from '../../../testing/dashboard-call.js';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { call } from '../../../testing/http.js';
import { admitAll, bearer, REPORTED_KEY, signInAs, USER, WORKSPACE } from '../../../testing/platform-call.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const OTHER_ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e60';
const KEYED = { ...bearer, 'idempotency-key': 'order 1' };
const maybeDone = () => {
  throw new TemporarilyUnavailable('the database failed', { maybeExecuted: true });
};

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => admitAll(gateway.services));

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = KEYED) =>
  call(method, `${gateway.url}/api/v1${path}`, { headers, ...(body === undefined ? {} : { body }) });
const fingerprints = () => gateway.services.keys.map(({ fingerprint }) => fingerprint);

describe('The Idempotency-Key of a command', () => {
  it.each([
    ['POST', '/projects', { name: 'Shop' }],
    ['POST', `/web-services/${ID}/restart`, undefined],
    ['PUT', `/web-services/${ID}/env/bulk`, { variables: [{ key: 'A', value: 'b' }] }],
    ['DELETE', `/web-services/${ID}/env/${ID}`, undefined],
  ])('reaches its service with the caller: %s %s', async (method, path, body) => {
    await api(method, path, body);
    expect(gateway.services.keys).toEqual([
      {
        caller: `${WORKSPACE} key ${REPORTED_KEY.id}`,
        key: 'order 1',
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it('reaches its service from the dashboard, with the user of the session', async () => {
    knowSession(gateway.services);
    await callDashboard(
      gateway,
      'PATCH',
      `/email-services/${ID}`,
      { enabled: true },
      {
        authorization: 'Bearer a-session-token',
        'idempotency-key': 'order 1',
      },
    );
    expect(gateway.services.keys).toMatchObject([{ caller: `${WORKSPACE} user ${USER}`, key: 'order 1' }]);
  });

  it('is not sent with reads, nor if the client sends none', async () => {
    await api('GET', '/projects');
    await api('POST', '/projects', { name: 'Shop' }, bearer);
    expect(gateway.services.keys).toEqual([]);
    expect(gateway.services.requestsOf(createProject)).toHaveLength(1);
  });

  it('identifies a request by method, path, query and the values of the body', async () => {
    const same = [
      ['POST', '/projects', '{"name":"Shop","description":"\\u00e4"}'],
      ['POST', '/projects', '{ "description": "ä", "name": "Shop" }'],
    ] as const;
    for (const [method, path, body] of same) await api(method, path, body);
    expect(new Set(fingerprints()).size).toBe(1);
    const others = [
      ['POST', '/projects', { name: 'Shop' }],
      ['POST', `/web-services/${ID}/restart`, undefined],
      ['POST', `/web-services/${OTHER_ID}/restart`, undefined],
      ['POST', `/web-services/${ID}/stop`, undefined],
    ] as const;
    for (const [method, path, body] of others) await api(method, path, body);
    expect(new Set(fingerprints()).size).toBe(1 + others.length);
  });

  it.each(['', 'x'.repeat(256)])('must have 1 to 255 characters, otherwise 400: %j', async key => {
    const answer = await api('POST', '/projects', { name: 'Shop' }, { ...bearer, 'idempotency-key': key });
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Idempotency-Key must have 1 to 255 characters.' }]);
    expect(gateway.services.requestsOf(createProject)).toEqual([]);
  });

  it('makes a repeated answer recognisable in the response and in the audit log', async () => {
    const first = await api('POST', '/projects', { name: 'Shop' });
    gateway.services.replaysKeyed = true;
    const second = await api('POST', '/projects', { name: 'Shop' });
    expect([first, second].map(({ status, headers }) => [status, headers['idempotent-replayed']])).toEqual([
      [201, undefined],
      [201, 'true'],
    ]);
    expect(gateway.services.audited.at(-1)).toMatchObject({ outcome: 'succeeded', code: 'idempotent_replay' });
  });
});

describe('A 503 whose command may have been carried out', () => {
  it('says so, and that a repetition with the same Idempotency-Key is safe', async () => {
    gateway.services.on(createProject, maybeDone);
    const answer = await api('POST', '/projects', { name: 'Shop' });
    expect([answer.status, answer.headers['error-code'], answer.headers['retry-after']]).toEqual([
      503,
      'outcome_unknown',
      '2',
    ]);
    expect(answer.body).toEqual({
      detail:
        'The outcome of this request is unknown; it may have been carried out. Repeat it with the same ' +
        'Idempotency-Key, which never carries it out twice.',
    });
    expect(gateway.services.audited.at(-1)).toMatchObject({ outcome: 'attempted', code: 'outcome_unknown' });
  });

  it.each([
    [createProject, 'POST', '/projects', { name: 'Shop' }, '/api/v1/projects'],
    [restartWebService, 'POST', `/web-services/${ID}/restart`, undefined, `/api/v1/web-services/${ID}`],
  ] as const)('says where to look if there is no key: %#', async (contract, method, path, body, where) => {
    gateway.services.on(contract, maybeDone as never);
    const answer = await api(method, path, body, bearer);
    expect([answer.status, answer.headers['error-code']]).toEqual([503, 'outcome_unknown']);
    expect(answer.body).toEqual({ detail: expect.stringContaining(`look whether it was: GET ${where}.`) });
    expect(answer.body).toEqual({ detail: expect.stringContaining('Idempotency-Key') });
    expect(answer.text).not.toContain('Try again');
  });

  it('has the same words in the dashboard API', async () => {
    knowSession(gateway.services);
    for (const [contract, path, body] of [
      [createEmailService, '/email-services', { name: 'Shop' }],
      [createPlatformKey, '/platform-keys', { name: 'CI', scope: 'read' }],
    ] as const) {
      gateway.services.on(contract, maybeDone as never);
      const answer = await callDashboard(gateway, 'POST', path, body);
      expect([answer.status, answer.body]).toEqual([
        503,
        { error: expect.stringContaining(`look whether it was: GET /dashboard/api${path}.`) },
      ]);
    }
  });

  it('is a 500 with the same words if the service failed with an internal error', async () => {
    gateway.services.on(createProject, () => {
      throw new Error('secret cause');
    });
    const answer = await api('POST', '/projects', { name: 'Shop' });
    expect([answer.status, answer.headers['error-code']]).toEqual([500, 'outcome_unknown']);
    expect(answer.text).toContain('may have been carried out');
    expect(answer.text).not.toContain('secret');
  });

  it('includes the case that only the completion of its reply failed', async () => {
    signInAs(gateway.services, { operator: true });
    gateway.services.on(listEmailServices, () => {
      throw new TemporarilyUnavailable('the database failed', { maybeExecuted: false });
    });
    const answer = await callDashboard(gateway, 'PATCH', `/workspaces/${ID}/quotas`, { projects: 5 });
    expect(gateway.services.requestsOf(setWorkspaceQuotas)).toHaveLength(1);
    expect([answer.status, answer.headers['error-code']]).toEqual([503, 'outcome_unknown']);
  });
});

describe('A 503 that says "Try again" means that nothing was done:', () => {
  it('the command had no effect', async () => {
    gateway.services.on(createProject, () => {
      throw new TemporarilyUnavailable('the database failed', { maybeExecuted: false });
    });
    const answer = await api('POST', '/projects', { name: 'Shop' });
    expect([answer.status, answer.body]).toEqual([503, { detail: 'Service temporarily unavailable. Try again.' }]);
  });

  it('the call could not be admitted', async () => {
    gateway.services.on(admitPlatformCall, maybeDone);
    const answer = await api('POST', '/projects', { name: 'Shop' }, bearer);
    expect([answer.status, answer.body]).toEqual([503, { detail: 'Service temporarily unavailable. Try again.' }]);
    expect(gateway.services.requestsOf(createProject)).toEqual([]);
  });

  it('the audit log could not record the call', async () => {
    gateway.services.on(recordAuditEntry, maybeDone);
    const answer = await api('POST', '/projects', { name: 'Shop' }, bearer);
    expect([answer.status, answer.body]).toEqual([503, { detail: 'Service temporarily unavailable. Try again.' }]);
    expect(gateway.services.requestsOf(createProject)).toEqual([]);
  });

  it('the call only reads', async () => {
    gateway.services.on(listProjects, maybeDone);
    const answer = await api('GET', '/projects');
    expect([answer.status, answer.body]).toEqual([503, { detail: 'Service temporarily unavailable. Try again.' }]);
  });
});
