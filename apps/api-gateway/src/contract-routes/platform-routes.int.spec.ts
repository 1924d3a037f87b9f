import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createDeployment,
  getMetrics,
  listDatabases,
  listDeployments,
  Refusal,
  type RequestContract,
  setProjectSecret,
  setVariable,
} from '@postern/contracts';
import { ALL_REQUESTS } from '../testing/fake-services.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import { admitAll, bearer, requestsAfterAdmission, USER, WORKSPACE } from '../testing/platform-call.js';
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
beforeEach(() => admitAll(gateway.services));

const api = (method: string, path: string, body?: unknown) =>
  call(method, `${gateway.url}/api/v1${path}`, { headers: bearer, ...(body === undefined ? {} : { body }) });

const contractNamed = (name: string): RequestContract => ALL_REQUESTS.find(contract => contract.name === name)!;

const WEB_SERVICE = {
  name: 'storefront',
  project_id: ID,
  git_repository_url: 'https://git.example.com/shop.git',
  port: 80,
};

const ofUser = { user_id: USER, workspace_id: WORKSPACE };
const ofProject = { ...ofUser, project_id: ID };
const ofService = { ...ofUser, web_service_id: ID };
const ofDeployment = { ...ofService, deployment_id: OTHER };

describe('a call of the platform API', () => {
  it.each<[call: string, body: unknown, status: number, contract: string, request: object]>([
    ['GET /projects', undefined, 200, 'list-projects', ofUser],
    [
      'POST /projects',
      { name: ' Shop ', description: 'All of it' },
      201,
      'create-project',
      { ...ofUser, workspace_id: WORKSPACE, name: 'Shop', description: 'All of it' },
    ],
    [`GET ${PROJECT}`, undefined, 200, 'get-project', ofProject],
    ['GET /web-services', undefined, 200, 'list-web-services', ofUser],
    [
      'POST /web-services',
      { name: 'web', project_id: ID, git_repository_url: 'https://git.example/a.git', port: 3000 },
      201,
      'create-web-service',
      {
        ...ofProject,
        name: 'web',
        git_repository_url: 'https://git.example/a.git',
        port: 3000,
        min_instances: 1,
        max_instances: 1,
        environment: 'production',
      },
    ],
    [`GET ${SERVICE}`, undefined, 200, 'get-web-service', ofService],
    [`POST ${SERVICE}/deploy`, undefined, 202, 'start-web-service', ofService],
    [`POST ${SERVICE}/start`, undefined, 202, 'start-web-service', ofService],
    [`POST ${SERVICE}/restart`, undefined, 202, 'restart-web-service', ofService],
    [`POST ${SERVICE}/stop`, undefined, 202, 'stop-web-service', ofService],
    [`GET ${SERVICE}/logs`, undefined, 200, 'get-logs', { ...ofService, tail: 100 }],
    [
      `GET ${SERVICE}/logs?tail=10000&since=1893456000`,
      undefined,
      200,
      'get-logs',
      { ...ofService, tail: 10_000, since: 1_893_456_000 },
    ],
    [`GET ${SERVICE}/metrics`, undefined, 200, 'get-metrics', ofService],
    [`GET ${SERVICE}/metrics/history`, undefined, 200, 'get-metrics-history', { ...ofService, period: 3600 }],
    [
      `GET ${SERVICE}/metrics/history?period=604800`,
      undefined,
      200,
      'get-metrics-history',
      { ...ofService, period: 604_800 },
    ],
    [`GET ${SERVICE}/deployments`, undefined, 200, 'list-deployments', { ...ofService, limit: 10, offset: 0 }],
    [
      `GET ${SERVICE}/deployments?limit=100&offset=20`,
      undefined,
      200,
      'list-deployments',
      { ...ofService, limit: 100, offset: 20 },
    ],
    [`POST ${SERVICE}/deployments`, { branch: 'next' }, 202, 'create-deployment', { ...ofService, branch: 'next' }],
    [`POST ${SERVICE}/deployments`, {}, 202, 'create-deployment', ofService],
    [`POST ${SERVICE}/deployments`, undefined, 202, 'create-deployment', ofService],
    [`GET ${SERVICE}/deployments/${OTHER}`, undefined, 200, 'get-deployment', ofDeployment],
    [`POST ${SERVICE}/deployments/${OTHER}/rollback`, undefined, 202, 'roll-back-deployment', ofDeployment],
    [`GET ${SERVICE}/env`, undefined, 200, 'list-variables', ofService],
    [
      `PUT ${SERVICE}/env/bulk`,
      {
        variables: [
          { key: 'A', value: '1', is_secret: true },
          { key: 'B', value: '' },
        ],
      },
      200,
      'set-variables',
      {
        ...ofService,
        variables: [
          { key: 'A', value: '1', is_secret: true },
          { key: 'B', value: '' },
        ],
      },
    ],
    [`DELETE ${SERVICE}/env/${OTHER}`, undefined, 200, 'delete-variable', { ...ofService, var_id: OTHER }],
    [`GET ${PROJECT}/secrets`, undefined, 200, 'list-project-secrets', ofProject],
    [
      `PUT ${PROJECT}/secrets/bulk`,
      { secrets: [{ key: 'A', value: '1', scope: 'staging' }] },
      200,
      'set-project-secrets',
      { ...ofProject, secrets: [{ key: 'A', value: '1', scope: 'staging' }] },
    ],
    [`DELETE ${PROJECT}/secrets/${OTHER}`, undefined, 200, 'delete-project-secret', { ...ofProject, secret_id: OTHER }],
    ['GET /databases', undefined, 200, 'list-databases', { workspace_id: WORKSPACE, limit: 50, offset: 0 }],
    [
      'GET /databases?limit=100&offset=3',
      undefined,
      200,
      'list-databases',
      { workspace_id: WORKSPACE, limit: 100, offset: 3 },
    ],
    [`GET /databases/${OTHER}`, undefined, 200, 'get-database', { workspace_id: WORKSPACE, database_id: OTHER }],
  ])('sends one request for the key’s user and returns its reply: %s %j', async (line, body, status, name, request) => {
    const [method = '', path = ''] = line.split(' ');
    const answer = await api(method, path, body);
    expect([answer.status, answer.body]).toEqual([status, replyOf(contractNamed(name))]);
    expect(requestsAfterAdmission(gateway.services)).toEqual([{ contract: name, request }]);
    expect(gateway.services.received).toHaveLength(2);
  });

  it.each<[string, unknown, string]>([
    ['GET /projects/17', undefined, 'project_id must be a UUID'],
    ['GET /web-services/x/logs', undefined, 'web_service_id must be a UUID'],
    [`GET ${SERVICE}/deployments/1`, undefined, 'deployment_id must be a UUID'],
    [`POST ${SERVICE}/deployments/1/rollback`, undefined, 'deployment_id must be a UUID'],
    [`DELETE ${SERVICE}/env/KEY`, undefined, 'var_id must be a UUID'],
    [`DELETE ${PROJECT}/secrets/KEY`, undefined, 'secret_id must be a UUID'],
    ['GET /databases/orders', undefined, 'database_id must be a UUID'],
    [`GET ${SERVICE}/logs?tail=0`, undefined, 'tail must be at least 1'],
    [`GET ${SERVICE}/logs?tail=10001`, undefined, 'tail must be at most 10000'],
    [`GET ${SERVICE}/logs?tail=ten`, undefined, 'tail must be an integer'],
    [`GET ${SERVICE}/logs?tail=1.5`, undefined, 'tail must be an integer'],
    [`GET ${SERVICE}/logs?tail=1e2`, undefined, 'tail must be an integer'],
    [`GET ${SERVICE}/logs?tail=`, undefined, 'tail must be an integer'],
    [`GET ${SERVICE}/logs?tail=1&tail=2`, undefined, 'tail must be an integer'],
    [`GET ${SERVICE}/logs?since=yesterday`, undefined, 'since must be Unix seconds'],
    [`GET ${SERVICE}/logs?since=-1`, undefined, 'since must be Unix seconds'],
    [`GET ${SERVICE}/logs?until=5`, undefined, 'Unknown field "until"'],
    [`GET ${SERVICE}/metrics/history?period=59`, undefined, 'period must be at least 60'],
    [`GET ${SERVICE}/metrics/history?period=604801`, undefined, 'period must be at most 604800'],
    [`GET ${SERVICE}/deployments?limit=0`, undefined, 'limit must be at least 1'],
    [`GET ${SERVICE}/deployments?limit=101`, undefined, 'limit must be at most 100'],
    [`GET ${SERVICE}/deployments?offset=-1`, undefined, 'offset must be at least 0'],
    ['GET /databases?limit=101', undefined, 'limit must be at most 100'],
    ['GET /databases?offset=9999999999', undefined, 'offset must be at most 1000000000'],
    ['POST /projects', { name: 'Shop', description: 7 }, 'description must be a string or null'],
    ['POST /web-services', { name: 'web' }, 'project_id is required'],
    ['POST /web-services', { ...WEB_SERVICE, port: 0 }, 'port must be at least 1'],
    ['POST /web-services', { ...WEB_SERVICE, port: '80' }, 'port must be an integer'],
    ['POST /web-services', { ...WEB_SERVICE, max_instances: 21 }, 'max_instances must be at most 20'],
    ['POST /web-services', { ...WEB_SERVICE, health_check_path: 'up' }, 'health_check_path must start'],
    ['POST /web-services', { ...WEB_SERVICE, user_id: OTHER }, 'Unknown field "user_id"'],
    [`POST ${SERVICE}/deployments`, { commit: 'abc' }, 'Unknown field "commit"'],
    [`POST ${SERVICE}/env`, { key: '1A', value: '' }, 'key must start with a letter or _'],
    [`POST ${SERVICE}/env`, { key: 'A' }, 'value is required'],
    [`POST ${SERVICE}/env`, { key: 'A', value: 'x'.repeat(65_537) }, 'value must have at most 64 KiB'],
    [`PUT ${SERVICE}/env/bulk`, { variables: [] }, 'variables must have at least 1 entry'],
    [`PUT ${SERVICE}/env/bulk`, { variables: [{ key: 'A', value: 1 }] }, 'variables[0].value must be a string'],
    [`PUT ${SERVICE}/env/bulk`, [{ key: 'A', value: '1' }], 'The body must be an object'],
    [`POST ${PROJECT}/secrets`, { key: 'A', value: '1' }, 'scope is required'],
    [`POST ${PROJECT}/secrets`, { key: 'A', value: '1', scope: 'all' }, 'scope must be one of "production"'],
    [`PUT ${PROJECT}/secrets/bulk`, { secrets: [{ key: 'A', value: '1' }] }, 'secrets[0].scope is required'],
  ])('is refused with 400 and the error: %s %j', async (line, body, message) => {
    const [method = '', path = ''] = line.split(' ');
    const answer = await api(method, path, body);
    expect([answer.status, answer.body]).toEqual([400, { detail: expect.stringContaining(message) }]);
    expect(requestsAfterAdmission(gateway.services)).toEqual([]);
  });

  it.each([
    [`GET ${PROJECT}`, 'get-project', 'project_not_found', 404],
    [`GET ${SERVICE}`, 'get-web-service', 'web_service_not_found', 404],
    [`GET ${SERVICE}/deployments/${OTHER}`, 'get-deployment', 'deployment_not_found', 404],
    [`DELETE ${SERVICE}/env/${OTHER}`, 'delete-variable', 'variable_not_found', 404],
    [`DELETE ${PROJECT}/secrets/${OTHER}`, 'delete-project-secret', 'project_secret_not_found', 404],
    [`GET /databases/${OTHER}`, 'get-database', 'database_not_found', 404],
    [`POST ${SERVICE}/start`, 'start-web-service', 'nothing_to_start', 400],
    [`POST ${SERVICE}/restart`, 'restart-web-service', 'never_ran', 400],
    [`POST ${SERVICE}/deployments/${OTHER}/rollback`, 'roll-back-deployment', 'deployment_never_live', 400],
    [`POST ${SERVICE}/deployments`, 'create-deployment', 'invalid_input', 400],
  ])('returns the message of a refusal: %s', async (line, name, code, status) => {
    gateway.services.on(contractNamed(name), () => {
      throw new Refusal(code, 'So it is.');
    });
    const [method = '', path = ''] = line.split(' ');
    const answer = await api(method, path);
    expect([answer.status, answer.body]).toEqual([status, { detail: 'So it is.' }]);
  });

  it.each([
    [409, 409],
    [404, 404],
    [422, 400],
    [507, 503],
  ])('answers a code of a newer service with its status %d, as %d', async (status, answered) => {
    gateway.services.on(contractNamed('get-project'), () => {
      throw new Refusal('project_frozen', 'It is frozen.', {}, status);
    });
    const answer = await api('GET', PROJECT);
    expect([answer.status, answer.body, answer.headers['error-code']]).toEqual([
      answered,
      { detail: 'It is frozen.' },
      'project_frozen',
    ]);
  });
});

describe('metrics of a service that is not running', () => {
  it('respond with 404', async () => {
    gateway.services.on(getMetrics, () => {
      throw new Refusal('nothing_to_report', 'The web service does not run.');
    });
    const answer = await api('GET', `${SERVICE}/metrics`);
    expect([answer.status, answer.body]).toEqual([404, { detail: 'The web service does not run.' }]);
  });
});

describe('setting one value', () => {
  it.each([
    ['a new one with 201', true, 201],
    ['one that was there with 200', false, 200],
  ])('answers %s', async (_what, created, status) => {
    const variable = { id: OTHER, key: 'TOKEN', value: '********', is_secret: true };
    gateway.services.on(setVariable, () => ({ variable, created }));
    const set = await api('POST', `${SERVICE}/env`, { key: 'TOKEN', value: 'abc', is_secret: true });
    expect([set.status, set.body]).toEqual([status, variable]);
    expect(gateway.services.requestsOf(setVariable)).toEqual([
      { ...ofService, key: 'TOKEN', value: 'abc', is_secret: true },
    ]);

    const secret = { ...variable, scope: 'staging' as const };
    gateway.services.on(setProjectSecret, () => ({ secret, created }));
    const kept = await api('POST', `${PROJECT}/secrets`, { key: 'TOKEN', value: 'abc', scope: 'staging' });
    expect([kept.status, kept.body]).toEqual([status, secret]);
  });

  it('does not change whether a value is secret, unless specified', async () => {
    await api('POST', `${SERVICE}/env`, { key: 'A', value: '1' });
    await api('POST', `${PROJECT}/secrets`, { key: 'A', value: '1', scope: 'production' });
    expect(gateway.services.requestsOf(setVariable)[0]).not.toHaveProperty('is_secret');
    expect(gateway.services.requestsOf(setProjectSecret)[0]).not.toHaveProperty('is_secret');
  });
});

describe('a deployment without a body', () => {
  it('may have a content type', async () => {
    const answer = await call('POST', `${gateway.url}/api/v1${SERVICE}/deployments`, {
      headers: { ...bearer, 'content-type': 'application/json' },
      body: '',
    });
    expect(answer.status).toBe(202);
    expect(gateway.services.requestsOf(createDeployment)).toEqual([ofService]);
  });
});

describe('pages', () => {
  it('have items, total, limit and offset', async () => {
    const page = { items: [], total: 7, limit: 5, offset: 5 };
    gateway.services.on(listDeployments, () => page);
    gateway.services.on(listDatabases, () => page);
    expect((await api('GET', `${SERVICE}/deployments?limit=5&offset=5`)).body).toEqual(page);
    expect((await api('GET', '/databases?limit=5&offset=5')).body).toEqual(page);
  });
});
