import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateApiKey, getEmail } from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { call, parsed, sendRaw } from '../../../testing/http.js';

const KEY = `em_live_${'a'.repeat(43)}`;
const ERROR = { error: expect.any(String) };
const DETAIL = { detail: expect.any(String) };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway({ POSTERN_HEADERS_TIMEOUT_MS: '300', POSTERN_REQUEST_TIMEOUT_MS: '600' });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  gateway.services.on(authenticateApiKey, () => ({ service_id: '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f' }));
});

describe('a path without a route', () => {
  it.each(['/nowhere', '/email', '/emails/a/b', '/dashboard/api/nothing'])(
    'responds with 404 in the {error} shape: %s',
    async path => {
      const answer = await call('POST', `${gateway.url}${path}`, { body: {} });
      expect([answer.status, answer.body]).toEqual([404, ERROR]);
    },
  );

  it('responds with 404 in the {detail} shape under /api/v1', async () => {
    const answer = await call('GET', `${gateway.url}/api/v1/nothing`);
    expect([answer.status, answer.body]).toEqual([404, DETAIL]);
  });
});

describe('a method that a path does not allow', () => {
  it.each([
    ['GET', '/emails', 'OPTIONS, POST'],
    ['DELETE', '/emails', 'OPTIONS, POST'],
    ['PUT', '/emails/0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/dashboard/api/me', 'GET, HEAD, OPTIONS, PATCH'],
    ['POST', '/dashboard', 'GET, HEAD, OPTIONS'],
    ['POST', '/o/abc.gif', 'GET, HEAD, OPTIONS'],
  ])('gets 405 with Allow: %s %s', async (method, path, allow) => {
    const answer = await call(method, `${gateway.url}${path}`);
    expect([answer.status, answer.headers['allow'], answer.body]).toEqual([405, allow, ERROR]);
  });

  it('is not in the Allow header of OPTIONS', async () => {
    const answer = await call('OPTIONS', `${gateway.url}/emails`);
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([204, 'OPTIONS, POST', '']);
  });
});

describe('a malformed request', () => {
  it.each([
    ['gibberish', 'hello there\r\n\r\n', 400],
    ['an unknown method', 'FOO /emails HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['no Host', 'GET /emails HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two lengths', 'POST /emails HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ['headers beyond 16 KiB', `GET /emails HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an unknown expectation', 'POST /emails HTTP/1.1\r\nHost: x\r\nExpect: cake\r\nContent-Length: 0\r\n\r\n', 417],
    ['a broken escape', 'GET /emails/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ])('gets a response in the {error} shape: %s', async (_what, bytes, status) => {
    const answer = await sendRaw(gateway.port, bytes);
    const { status: answered, body } = parsed(answer);
    expect([answered, body]).toEqual([status, ERROR]);
  });

  it('gets a response in the {detail} shape under /api/v1', async () => {
    const broken = 'GET /api/v1/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(parsed(await sendRaw(gateway.port, broken)).body).toEqual(DETAIL);
    const large = `GET /api/v1/x HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`;
    expect(parsed(await sendRaw(gateway.port, large)).body).toEqual(DETAIL);
  });

  it('gets 408 if its headers do not arrive', async () => {
    expect(parsed(await sendRaw(gateway.port, 'GET /emails HTTP/1.1\r\nHost: x\r\n'))).toEqual({
      status: 408,
      body: ERROR,
    });
  });

  it('gets 408 if its body does not arrive', async () => {
    const head = `POST /emails HTTP/1.1\r\nHost: x\r\nApi-Key: ${KEY}\r\nContent-Length: 100\r\n\r\n{`;
    expect(parsed(await sendRaw(gateway.port, head))).toEqual({ status: 408, body: ERROR });
  });
});

describe('every response', () => {
  it('contains a request id, the caller’s if it is safe to log', async () => {
    const ours = await call('GET', `${gateway.url}/health/live`);
    expect(ours.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const theirs = await call('GET', `${gateway.url}/health/live`, { headers: { 'x-request-id': 'order-7' } });
    expect(theirs.headers['x-request-id']).toBe('order-7');
    const odd = await call('GET', `${gateway.url}/health/live`, { headers: { 'x-request-id': 'a b"c' } });
    expect(odd.headers['x-request-id']).not.toBe('a b"c');
  });

  it('forbids sniffing, framing and caching', async () => {
    const { headers } = await call('GET', `${gateway.url}/nothing`);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(headers['strict-transport-security']).toBeUndefined();
  });
});

describe('health', () => {
  it('is available on both ports, and metrics only on the operator’s', async () => {
    for (const url of [gateway.url, gateway.healthUrl]) {
      expect((await call('GET', `${url}/health/live`)).status).toBe(200);
      expect((await call('GET', `${url}/health/ready`)).status).toBe(200);
    }
    expect((await call('GET', `${gateway.healthUrl}/metrics`)).status).toBe(200);
    expect((await call('GET', `${gateway.url}/metrics`)).status).toBe(404);
  });
});

describe('the loss of NATS', () => {
  it('results in 503 with Retry-After and an unready gateway until it reconnects', async () => {
    await gateway.nats.kill();
    const headers = { 'api-key': KEY };
    const away = await call('GET', `${gateway.url}/emails/0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f`, { headers });
    expect([away.status, away.headers['retry-after'], away.body]).toEqual([503, expect.stringMatching(/^\d+$/), ERROR]);
    expect((await call('GET', `${gateway.url}/health/ready`)).status).toBe(503);
    expect((await call('GET', `${gateway.url}/health/live`)).status).toBe(200);
    await gateway.nats.restart();
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    gateway.services.on(getEmail, ({ email_id }) => {
      resolve();
      return { id: email_id, status: 'sent' as const, mode: 'sandbox' as const, from: 'a@b.c', to: [], message: '' };
    });
    const back = async (): Promise<number> => {
      const { status } = await call('GET', `${gateway.url}/emails/0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f`, { headers });
      return status === 503 ? back() : status;
    };
    expect(await back()).toBe(200);
    await answered;
  });
});
