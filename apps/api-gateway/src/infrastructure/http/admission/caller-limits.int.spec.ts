import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { admitPlatformCall, authenticateSession, createEmailService, listEmailServices } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from '../../../testing/gateway-under-test.js';
import { call } from '../../../testing/http.js';
import { admitAll, KEY } from '../../../testing/platform-call.js';
import { replyOf } from '../../../testing/replies.js';

const idOf = (user: string) => createHash('sha256').update(user).digest('hex').slice(0, 12);
const uuidOf = (user: string) => `0198c9f0-7b1e-7cc3-98a4-${idOf(user)}`;

let gateway: GatewayUnderTest;
afterEach(() => gateway.stop());

/** A token is `<user>.<anything>`; every user has the workspace of their name, unless another one is given. */
const start = async (environment: Record<string, string>, workspaceOf: (user: string) => string = user => user) => {
  gateway = await startGateway(environment);
  admitAll(gateway.services);
  const users = new Map<string, string>();
  gateway.services.on(authenticateSession, ({ token_hash }) => {
    const user = users.get(token_hash)!;
    return { user_id: uuidOf(user), email: 'a@b.c', operator: false, workspace_id: uuidOf(workspaceOf(user)) };
  });
  return (user: string, session = '1') => {
    const token = `${user}.${session}`;
    users.set(createHash('sha256').update(token).digest('hex'), user);
    return { authorization: `Bearer ${token}` };
  };
};

const list = (headers: Record<string, string>, path = '/dashboard/api/email-services') =>
  call('GET', `${gateway.url}${path}`, { headers });

/** The statuses of so many requests one after the other, or at once. */
const statuses = async (count: number, headers: () => Record<string, string>) => {
  const found: number[] = [];
  for (let n = 0; n < count; n++) found.push((await list(headers())).status);
  return found;
};
const asked = (contract: { readonly name: string }) =>
  gateway.services.received.filter(one => one.contract === contract.name).length;

describe('the requests of a signed-in user', () => {
  it('are bounded with 429 and Retry-After, over all sessions, and those of another tenant are served', async () => {
    const as = await start({ POSTERN_CALLER_REQUESTS_PER_SECOND: '1' });
    await statuses(2, () => as('mallory', '2'));
    expect(await statuses(2, () => as('mallory', '3'))).toContain(429);
    const flood = await Promise.all(Array.from({ length: 200 }, () => list(as('mallory'))));
    const refused = flood.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(150);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(refused[0]?.body).toEqual({
      error: 'More than 1 requests per second from one caller. Try again later.',
    });
    expect((await list(as('ada'))).status).toBe(200);
  });

  it('beyond the limit reach no service, and no audit log', async () => {
    const as = await start({ POSTERN_CALLER_REQUESTS_PER_SECOND: '1' });
    gateway.services.on(createEmailService, () => replyOf(createEmailService) as never);
    await list(as('mallory'));
    const before = asked(authenticateSession);
    const options = { headers: as('mallory'), body: { name: 'Shop' } };
    const started = performance.now();
    const found = [];
    for (let n = 0; n < 100; n++) {
      found.push((await call('POST', `${gateway.url}/dashboard/api/email-services`, options)).status);
    }
    const allowed = 2 + Math.ceil((performance.now() - started) / 1_000);
    expect(found.filter(status => status !== 429).length).toBeLessThanOrEqual(allowed);
    expect(asked(authenticateSession) - before).toBeLessThanOrEqual(allowed);
    expect(gateway.services.audited.length).toBeLessThanOrEqual(2 * allowed);
  });

  it('that are not answered yet are bounded, and those of another tenant are served', async () => {
    const as = await start({ POSTERN_CALLER_REQUESTS_AT_ONCE: '3' });
    const held: (() => void)[] = [];
    gateway.services.on(listEmailServices, async ({ workspace_id }) => {
      if (workspace_id === uuidOf('mallory')) await new Promise<void>(resolve => held.push(resolve));
      return replyOf(listEmailServices) as never;
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

  it('no longer count when their connection is closed, also while the caller is authenticated', async () => {
    const as = await start({ POSTERN_CALLER_REQUESTS_AT_ONCE: '3' });
    gateway.services.on(listEmailServices, () => new Promise<never>(() => undefined));
    const user = { user_id: uuidOf('mallory'), email: 'a@b.c', operator: false, workspace_id: uuidOf('mallory') };
    let authenticate: () => void = () => undefined;
    const authenticated = new Promise<void>(resolve => {
      authenticate = resolve;
    });
    gateway.services.on(authenticateSession, async () => {
      await authenticated;
      return user;
    });
    const sockets = Array.from({ length: 6 }, (_, n) => {
      const socket = connect(gateway.port, '127.0.0.1').on('error', () => undefined);
      const { authorization } = as('mallory', String(n));
      const head = `GET /dashboard/api/email-services HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`;
      socket.write(head.repeat(2));
      return socket;
    });
    await waitFor(() => asked(authenticateSession) === 12);
    for (const socket of sockets.slice(3)) socket.destroy();
    authenticate();
    await waitFor(() => asked(listEmailServices) >= 1);
    for (const socket of sockets) socket.destroy();
    gateway.services.on(listEmailServices, () => replyOf(listEmailServices) as never);
    await waitFor(async () => (await list(as('mallory'))).status === 200);
  });

  it('are bounded for all users of a workspace together', async () => {
    const shared = (user: string) => (user === 'ada' ? 'ada' : 'shared');
    const as = await start({ POSTERN_WORKSPACE_REQUESTS_PER_SECOND: '1' }, shared);
    await statuses(2, () => as('mallory'));
    const refused = await list(as('eve'));
    expect([refused.status, refused.body]).toEqual([
      429,
      { error: 'More than 1 requests per second in one workspace. Try again later.' },
    ]);
    expect((await list(as('ada'))).status).toBe(200);
  });
});

describe('the requests with a platform key', () => {
  it('are bounded with 429 in the shape of the platform API before a service is asked', async () => {
    await start({ POSTERN_CALLER_REQUESTS_PER_SECOND: '1' });
    const headers = { authorization: `Bearer ${KEY}` };
    const path = '/api/v1/projects';
    await list(headers, path);
    const found = [];
    for (let n = 0; n < 50; n++) found.push(await list(headers, path));
    const refused = found.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(30);
    expect(refused[0]?.body).toEqual({ detail: 'More than 1 requests per second from one caller. Try again later.' });
    expect(asked(admitPlatformCall)).toBeLessThanOrEqual(51 - refused.length);
    const other = { authorization: `Bearer ${KEY.slice(0, -3)}abc` };
    expect((await list(other, path)).status).toBe(200);
  });
});
