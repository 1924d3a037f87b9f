import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateSession, getEmailService, listProjects, sendEmail } from '@postern/contracts';
import { eventually } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import { admitAll, bearer, REPORTED_KEY, USER, WORKSPACE } from '../testing/platform-call.js';
import { replyOf } from '../testing/replies.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const API_KEY = `em_live_${'a'.repeat(43)}`;
const MAIL = { from: 'a@shop.test', to: ['ada@example.com'], subject: 'Receipt', text: 'Thanks' };

type Line = Readonly<Record<string, unknown>>;

let gateway: GatewayUnderTest;
const lines: Line[] = [];
const write = (fields: object, message: string): void => {
  if (message === 'Request completed') lines.push(fields as Line);
};
const output = {
  log: { debug: write, info: write, warn: write, error: write, plain: write },
  writeLine: () => {},
  flush: () => {},
};
beforeAll(async () => {
  gateway = await startGateway({}, output);
});
afterAll(() => gateway.stop());
beforeEach(() => {
  lines.length = 0;
  admitAll(gateway.services);
});

/** The log line of the only request. */
const line = async (): Promise<Line> => {
  await eventually(() => expect(lines).toHaveLength(1));
  return lines[0]!;
};

const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(method, `${gateway.url}${path}`, { headers, ...(body === undefined ? {} : { body }) });

describe('The access log', () => {
  it('has a line for a message, with the request id of the response and the hash of the key', async () => {
    const answer = await request('POST', '/emails', MAIL, { 'api-key': API_KEY, 'x-request-id': 'order-7' });
    expect(answer.headers['x-request-id']).toBe('order-7');
    expect(await line()).toEqual({
      correlationId: 'order-7',
      method: 'POST',
      route: '/emails',
      status: 200,
      ms: expect.any(Number),
      bytes: Buffer.byteLength(answer.text),
      client: '127.0.0.0/24',
      keyHash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  it('contains the user, the workspace and the service of a session', async () => {
    gateway.services.on(authenticateSession, () => ({
      user_id: USER,
      email: 'ada@example.com',
      operator: false,
      role: 'owner' as const,
      workspace_id: WORKSPACE,
    }));
    gateway.services.on(getEmailService, () => replyOf(getEmailService) as never);
    await request('GET', `/dashboard/api/email-services/${ID}?x=1`, undefined, { authorization: 'Bearer token' });
    expect(await line()).toMatchObject({
      route: '/dashboard/api/email-services/:service_id',
      userId: USER,
      workspaceId: WORKSPACE,
      serviceId: ID,
    });
    expect(JSON.stringify(lines)).not.toMatch(/example\.com|token|x=1/);
  });

  it('contains the platform key of a call', async () => {
    await request('GET', '/api/v1/projects', undefined, bearer);
    expect(await line()).toMatchObject({ route: '/api/v1/projects', status: 200, keyId: REPORTED_KEY.id });
  });

  it.each<[string, string, string, unknown, Record<string, string>, number, string]>([
    ['without a key', 'POST', '/emails', MAIL, {}, 401, '/emails'],
    ['without a platform key', 'GET', '/api/v1/projects', undefined, {}, 401, '/api/v1/projects'],
    ['without a route', 'GET', '/nothing/ada@example.com', undefined, {}, 404, '(none)'],
    ['too large', 'POST', '/emails', Buffer.alloc(10 * 1024 * 1024 + 1), { 'api-key': API_KEY }, 413, '/emails'],
  ])('has a line for a request %s, without the path', async (_what, method, path, body, headers, status, route) => {
    const { status: answered } = await request(method, path, body, headers).catch(() => ({ status }));
    expect(answered).toBe(status);
    expect(await line()).toMatchObject({ method, route });
    expect(JSON.stringify(lines)).not.toContain('ada@');
  });

  it('has a line for a request that its client aborted', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    gateway.services.on(listProjects, async () => {
      resolve();
      await released;
      return [];
    });
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(`GET /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer.authorization}\r\n\r\n`);
    await arrived;
    socket.destroy();
    const aborted = await line();
    expect(aborted).toMatchObject({ route: '/api/v1/projects', aborted: true, keyId: REPORTED_KEY.id });
    expect(aborted).not.toHaveProperty('status');
    release();
  });

  it('has a line for an incomplete body', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(
      `POST /emails HTTP/1.1\r\nHost: x\r\nApi-Key: ${API_KEY}\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n{`,
    );
    // The interim response shows that the gateway reads the body.
    socket.once('data', () => socket.destroy());
    expect(await line()).toMatchObject({ route: '/emails' });
    expect(gateway.services.requestsOf(sendEmail)).toEqual([]);
  });

  it('can be disabled', async () => {
    const silent = await startGateway({ POSTERN_ACCESS_LOG: 'false' }, output);
    expect((await call('GET', `${silent.url}/nothing`)).status).toBe(404);
    await silent.stop();
    expect(lines).toEqual([]);
  });
});
