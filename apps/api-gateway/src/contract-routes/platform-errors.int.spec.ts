import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createProject, getProject, Refusal, setVariables, startWebService } from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import { admitAll, bearer } from '../testing/platform-call.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const DETAIL = { detail: expect.any(String) };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => admitAll(gateway.services));

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = bearer) =>
  call(method, `${gateway.url}/api/v1${path}`, { headers, ...(body === undefined ? {} : { body }) });

describe('errors of the platform API', () => {
  it.each<[string, unknown, Record<string, string>, number, string]>([
    ['a field that nobody knows', { name: 'Shop', colour: 'red' }, {}, 400, 'Unknown field "colour"'],
    ['a missing field', {}, {}, 400, 'name is required'],
    ['a wrong type', { name: 7 }, {}, 400, 'name must be a string'],
    ['an empty name', { name: ' ' }, {}, 400, 'name must not be empty'],
    ['broken JSON', '{"name":', {}, 400, 'not valid JSON'],
    ['no object', '[]', {}, 400, 'must be an object'],
    ['no body', undefined, {}, 400, 'must be a JSON object'],
    ['a NUL', { name: 'a\0b' }, {}, 400, 'name must not contain NUL'],
    ['another content type', 'name=Shop', { 'content-type': 'text/plain' }, 415, 'Content-Type'],
    ['a body beyond 1 MiB', Buffer.alloc(1024 * 1024 + 1, 32), {}, 413, '1 MiB'],
  ])('describe in {detail} the problem with %s', async (_what, body, headers, status, message) => {
    const answer = await api('POST', '/projects', body, { ...bearer, ...headers });
    expect([answer.status, answer.body]).toEqual([status, { detail: expect.stringContaining(message) }]);
    expect(gateway.services.requestsOf(createProject)).toEqual([]);
  });

  it.each([
    ['POST', '/web-services', { docker_image: 'nginx' }, 'Use `image`.'],
    ['PATCH', `/web-services/${ID}`, { dockerfile: 'a' }, 'Use `dockerfile_path`'],
    ['PATCH', `/web-services/${ID}`, { pull_request_previews: true }, 'Set `previews` to true.'],
  ])('say what to do instead of a field that other platforms have: %s %s %j', async (method, path, body, hint) => {
    const answer = await api(method, path, body);
    expect([answer.status, answer.body]).toEqual([400, { detail: expect.stringContaining(hint) }]);
  });

  it.each([
    ['GET', '/nothing', 404],
    ['GET', '', 404],
    ['GET', '/projects/', 404],
    ['POST', `/projects/${ID}/secrets/bulk/more`, 404],
  ])('have the {detail} shape even without a route: %s %s', async (method, path, status) => {
    const answer = await api(method, path);
    expect([answer.status, answer.body]).toEqual([status, DETAIL]);
  });

  it.each([
    ['DELETE', '/projects', 'GET, HEAD, OPTIONS, POST'],
    ['PUT', `/projects/${ID}`, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['PUT', '/databases', 'GET, HEAD, OPTIONS, POST'],
    ['GET', `/web-services/${ID}/deploy`, 'OPTIONS, POST'],
    ['POST', '/users/me/api-key', 'GET, HEAD, OPTIONS'],
    // `bulk` is not the id of a secret.
    ['DELETE', `/projects/${ID}/secrets/bulk`, 'OPTIONS, PUT'],
    ['DELETE', `/projects/${ID}/secrets/bulk?x=1`, 'OPTIONS, PUT'],
  ])('list the methods of a path: %s %s', async (method, path, allow) => {
    const answer = await api(method, path);
    expect([answer.status, answer.headers['allow'], answer.body]).toEqual([405, allow, DETAIL]);
  });

  it.each([
    ['service_blocked', 'The web service is blocked: phishing.'],
    ['service_suspended', 'The web service is suspended.'],
  ])('have the code %s', async (code, message) => {
    gateway.services.on(startWebService, () => {
      throw new Refusal(code, message);
    });
    const answer = await api('POST', `/web-services/${ID}/start`);
    expect([answer.status, answer.body]).toEqual([403, { detail: { code, message } }]);
  });

  it('are 500 without the cause if platform-management fails with an internal error', async () => {
    gateway.services.on(getProject, () => {
      throw new Error('secret cause');
    });
    const answer = await api('GET', `/projects/${ID}`);
    expect([answer.status, answer.body]).toEqual([500, { detail: expect.not.stringContaining('secret') }]);
  });
});

describe('the variables of a web service', () => {
  it('can be set with 10 MiB at once', async () => {
    const variables = Array.from({ length: 150 }, (_, index) => ({ key: `KEY_${index}`, value: 'x'.repeat(65_536) }));
    expect((await api('PUT', `/web-services/${ID}/env/bulk`, { variables })).status).toBe(200);
    expect(gateway.services.requestsOf(setVariables)[0]?.variables).toHaveLength(150);
  });
});

describe('without platform-management', () => {
  it('every call gets 503 with Retry-After', async () => {
    const alone = await startGateway();
    await alone.services.stop();
    for (const [method, path] of [
      ['GET', '/projects'],
      ['POST', `/web-services/${ID}/start`],
    ] as const) {
      const answer = await call(method, `${alone.url}/api/v1${path}`, { headers: bearer });
      expect([answer.status, answer.body]).toEqual([503, DETAIL]);
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    }
    await alone.stop();
  });
});
