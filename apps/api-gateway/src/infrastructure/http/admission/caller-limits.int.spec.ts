import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateSession, createEmailService, listEmailServices } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { call } from '../../../testing/http.js';
import { admitAll } from '../../../testing/platform-call.js';
import { replyOf } from '../../../testing/replies.js';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const idOf = (name: string) => `0198c9f0-7b1e-7cc3-98a4-${hashOf(name).slice(0, 12)}`;
const EMPTY = { items: [], total: 0 } as never;

let gateway: GatewayUnderTest;

/** Starts the gateway of a describe block. */
const startWith = (environment: Record<string, string>) => {
  beforeAll(async () => {
    gateway = await startGateway(environment);
  }, 90_000);
  afterAll(() => gateway?.stop());
};

const users = new Map<string, { readonly user: string; readonly workspace: string }>();
const sessionReply = (tokenHash: string) => {
  const { user, workspace } = users.get(tokenHash)!;
  return {
    user_id: idOf(user),
    email: 'a@b.c',
    operator: false,
    role: 'owner' as const,
    workspace_id: idOf(workspace),
  };
};

/** The headers of a session; every user has their own workspace unless another one is given. */
const as = (user: string, session = '1', workspace = user) => {
  const token = `${user}.${session}`;
  users.set(hashOf(token), { user, workspace });
  return { authorization: `Bearer ${token}` };
};

beforeEach(() => {
  admitAll(gateway.services);
  gateway.services.on(authenticateSession, ({ token_hash }) => sessionReply(token_hash));
  gateway.services.on(listEmailServices, () => EMPTY);
});

const list = (headers: Record<string, string>) =>
  call('GET', `${gateway.url}/dashboard/api/email-services`, { headers });
const requestCount = (contract: { readonly name: string }) =>
  gateway.services.received.filter(one => one.contract === contract.name).length;

describe('the requests of one user per second', () => {
  startWith({ POSTERN_CALLER_REQUESTS_PER_SECOND: '1' });

  it('get 429 with Retry-After beyond the limit, over all sessions, and another tenant is served', async () => {
    const sessions = ['1', '2', '3', '4'];
    const flood = await Promise.all(
      Array.from({ length: 200 }, (_, n) => list(as('mallory', sessions[n % sessions.length]))),
    );
    const refused = flood.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(150);
    expect(refused[0]?.headers['retry-after']).toMatch(/^\d+$/);
    expect(refused.at(-1)?.body).toEqual({
      error: expect.stringMatching(/^More than 1 requests per second from one user\. Try again in /),
    });
    expect((await list(as('ada'))).status).toBe(200);
  });

  it('reach neither services nor the audit log beyond the limit', async () => {
    const options = { headers: as('eve'), body: { name: 'Shop' } };
    gateway.services.on(createEmailService, () => replyOf(createEmailService) as never);
    await list(options.headers);
    const before = requestCount(authenticateSession);
    const started = performance.now();
    const flood = await Promise.all(
      Array.from({ length: 50 }, () => call('POST', `${gateway.url}/dashboard/api/email-services`, options)),
    );
    const allowed = 2 + Math.ceil((performance.now() - started) / 1_000);
    expect(flood.filter(({ status }) => status !== 429).length).toBeLessThanOrEqual(allowed);
    expect(requestCount(authenticateSession) - before).toBeLessThanOrEqual(allowed);
    expect(gateway.services.audited.length).toBeLessThanOrEqual(2 * allowed);
  });
});

describe('the open requests of one user', () => {
  startWith({ POSTERN_CALLER_REQUESTS_AT_ONCE: '3' });

  it('get 429 with Retry-After beyond the limit, and another tenant is served', async () => {
    const held: (() => void)[] = [];
    gateway.services.on(listEmailServices, async ({ workspace_id }) => {
      if (workspace_id === idOf('mallory')) await new Promise<void>(resolve => held.push(resolve));
      return EMPTY;
    });
    const open = Array.from({ length: 3 }, () => list(as('mallory')));
    await waitFor(() => held.length === 3);
    const refused = await list(as('mallory'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect((await list(as('ada'))).status).toBe(200);
    for (const answer of held) answer();
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const again = list(as('mallory'));
    await waitFor(() => held.length === 4);
    held[3]?.();
    expect((await again).status).toBe(200);
  });

  it('no longer count once their connection is closed, even while the caller is authenticated', async () => {
    gateway.services.on(listEmailServices, () => new Promise<never>(() => undefined));
    let authenticate: () => void = () => undefined;
    const authenticated = new Promise<void>(resolve => {
      authenticate = resolve;
    });
    gateway.services.on(authenticateSession, async ({ token_hash }) => {
      await authenticated;
      return sessionReply(token_hash);
    });
    const sockets = Array.from({ length: 6 }, (_, n) => {
      const socket = connect(gateway.port, '127.0.0.1').on('error', () => undefined);
      const { authorization } = as('eve', String(n));
      const head = `GET /dashboard/api/email-services HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`;
      socket.write(head.repeat(2));
      return socket;
    });
    await waitFor(() => requestCount(authenticateSession) === 12);
    for (const socket of sockets.slice(3)) socket.destroy();
    authenticate();
    await waitFor(() => requestCount(listEmailServices) >= 1);
    for (const socket of sockets) socket.destroy();
    gateway.services.on(listEmailServices, () => EMPTY);
    await waitFor(async () => (await list(as('eve'))).status === 200);
  });
});

describe('the requests of all sessions in a workspace per second', () => {
  startWith({ POSTERN_WORKSPACE_REQUESTS_PER_SECOND: '1' });

  it('get 429 beyond the limit, and another workspace is served', async () => {
    const flood = await Promise.all(
      Array.from({ length: 60 }, (_, n) => list(as(`member-${n % 6}`, '1', 'shared workspace'))),
    );
    const refused = flood.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]?.body).toEqual({
      error: expect.stringMatching(/^More than 1 requests per second in one workspace\. Try again in /),
    });
    expect((await list(as('ada'))).status).toBe(200);
  });
});
