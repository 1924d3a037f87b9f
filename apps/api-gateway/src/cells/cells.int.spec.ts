import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  acceptInvitation,
  admitPlatformCall,
  authenticateApiKey,
  authenticateManagementKey,
  confirmPasswordReset,
  createSession,
  findCaller,
  findDeployHook,
  findTrackingHost,
  listWebServices,
  Refusal,
  receiveDeployHook,
  receiveProviderEvents,
  requestPasswordReset,
  sendEmail,
  submitEmail,
  unsubscribeRecipient,
} from '@postern/contracts';
import { TrackingTokens } from '@postern/mail';
import { waitFor } from '@postern/testing';
import nodemailer from 'nodemailer';
import { EMAIL, RATE_LIMIT, RECORD } from '../testing/email-call.js';
import { call } from '../testing/http.js';
import { type FakeCell, knowTenant, sha256, startTwoCells, type TwoCells } from '../testing/two-cells.js';

let gateway: TwoCells;
beforeAll(async () => {
  gateway = await startTwoCells();
}, 60_000);
afterAll(() => gateway?.stop());
beforeEach(() => gateway.cells.forEach(knowTenant));

const send = (key: string, body: unknown = EMAIL) =>
  call('POST', `${gateway.url}/emails`, { body, headers: { 'api-key': key } });
const list = (key: string) =>
  call('GET', `${gateway.url}/api/v1/web-services`, { headers: { authorization: `Bearer ${key}` } });
const dashboard = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  call(method, `${gateway.url}/dashboard/api${path}`, { headers, ...(body === undefined ? {} : { body }) });
const signIn = (email: string) => dashboard('POST', '/session', {}, { email, password: 'a long enough password' });
const other = (cell: FakeCell): FakeCell => gateway.cells.find(one => one !== cell)!;
const codeOf = ({ status, headers }: Awaited<ReturnType<typeof call>>) => [status, headers['error-code']];

/** What a cell may get about the callers of another one: the question whether it has them. */
const SEARCHES: ReadonlySet<string> = new Set([findCaller.name, authenticateApiKey.name, findTrackingHost.name]);
const requestsOf = (cell: FakeCell) => cell.received().filter(contract => !SEARCHES.has(contract));

describe.each(['first', 'second'] as const)('The tenants of the %s of two cells', which => {
  let own: FakeCell;
  beforeEach(() => {
    own = gateway[which];
  });

  it.each<[string, () => Promise<{ readonly status: number }>, { readonly name: string }]>([
    ['send email with the key of an email service', () => send(own.apiKey), sendEmail],
    ['call the platform API', () => list(own.platformKey), admitPlatformCall],
    [
      'use the dashboard with the cookie of their session',
      () => dashboard('GET', '/web-services', { cookie: `postern_session=${own.session}` }),
      listWebServices,
    ],
    [
      'use the dashboard API with a session',
      () => dashboard('GET', '/web-services', { authorization: `Bearer ${own.session}` }),
      listWebServices,
    ],
    [
      'use the dashboard API with a management key',
      () => dashboard('GET', '/email-services', { authorization: `Bearer ${own.managementKey}` }),
      authenticateManagementKey,
    ],
    [
      'deploy by a hook',
      () => call('POST', `${gateway.url}/hooks/deploy/${own.hook}`, { body: {} }),
      receiveDeployHook,
    ],
    ['sign in by their address', () => signIn(own.email), createSession],
    [
      'ask for a new password',
      () => dashboard('POST', '/password-reset', {}, { email: own.email }),
      requestPasswordReset,
    ],
  ])('%s, of which the other cell gets nothing', async (_, request, contract) => {
    own.services.on(findDeployHook, () => ({ id: RECORD.id, web_service_id: RECORD.id, workspace_id: RECORD.id }));
    expect((await request()).status).toBeLessThan(300);
    expect(requestsOf(own)).toContain(contract.name);
    expect(requestsOf(other(own))).toEqual([]);
    expect(other(own).services.audited).toEqual([]);
  });

  it('are searched in both cells once, and not again', async () => {
    gateway = await gateway.restartGateway();
    const searches = () => gateway.cells.map(cell => cell.services.requestsOf(authenticateApiKey).length);
    expect((await send(own.apiKey)).status).toBe(200);
    expect(searches()[own === gateway.first ? 1 : 0]).toBe(1);
    for (let again = 0; again < 3; again++) expect((await send(own.apiKey)).status).toBe(200);
    expect(searches()[own === gateway.first ? 1 : 0]).toBe(1);
  }, 30_000);

  it('lose a revoked key at once', async () => {
    expect((await send(own.apiKey)).status).toBe(200);
    own.services.on(sendEmail, () => {
      throw new Refusal('api_key_invalid', 'the API key is not valid');
    });
    expect(codeOf(await send(own.apiKey))).toEqual([401, 'api_key_invalid']);
  });

  it('get their links served without a question to a cell', async () => {
    const tokens = TrackingTokens.fromSecrets([own.linkSecret]);
    const page = `${gateway.url}/u/${tokens.unsubscribeToken(RECORD.id, 0)}`;
    expect((await call('GET', page)).status).toBe(200);
    expect((await call('POST', page)).status).toBe(200);
    expect((await call('GET', `${gateway.url}/o/${tokens.openToken(RECORD.id, 0)}.gif`)).status).toBe(200);
    const link = await call('GET', `${gateway.url}/c/${tokens.clickToken(RECORD.id, 0, 'https://shop.example/')}`);
    expect([link.status, link.headers['location']]).toEqual([302, 'https://shop.example/']);
    expect(own.services.requestsOf(unsubscribeRecipient)).toHaveLength(1);
    expect(other(own).received()).toEqual([]);
  });

  it('submit messages over SMTP', async () => {
    own.services.on(submitEmail, () => ({ email: RECORD, rate_limit: RATE_LIMIT, replayed: false }));
    const transport = nodemailer.createTransport({
      host: '127.0.0.1',
      port: gateway.submissionPort,
      ignoreTLS: true,
      auth: { user: 'any', pass: own.apiKey },
    });
    await transport.sendMail({ from: 'ada@example.com', to: 'grace@example.org', subject: 'Hi', text: 'Hi' });
    transport.close();
    expect(own.services.requestsOf(submitEmail)).toHaveLength(1);
    expect(requestsOf(other(own))).toEqual([]);
  });

  it('set a password with the token of a mail from their cell', async () => {
    const token = 'r'.repeat(43);
    own.services.on(findCaller, ({ kind, value }) => ({ found: kind === 'password_reset' && value === sha256(token) }));
    const body = { token, password: 'a long enough password' };
    expect((await dashboard('POST', '/password-reset/confirm', {}, body)).status).toBe(200);
    expect(own.services.requestsOf(confirmPasswordReset)).toEqual([body]);
    expect(requestsOf(other(own))).toEqual([]);
  });

  it('get the events of their mail provider', async () => {
    other(own).services.on(receiveProviderEvents, () => {
      throw new Refusal('provider_endpoint_not_found', 'there is no such provider endpoint');
    });
    const endpoint = `${gateway.url}/providers/postmark/pe_live_${'p'.repeat(43)}`;
    expect((await call('POST', endpoint, { body: {} })).status).toBeLessThan(300);
    expect(own.services.requestsOf(receiveProviderEvents)).toHaveLength(1);
  });

  it('keep their tracking hosts from serving the API', async () => {
    gateway = await gateway.restartGateway();
    for (const cell of gateway.cells) cell.services.on(findTrackingHost, () => ({ verified: cell === own }));
    const answer = await call('GET', `${gateway.url}/docs`, { headers: { host: 'links.shop.example' } });
    expect(codeOf(answer)).toEqual([404, 'not_found']);
  }, 30_000);
});

describe('A credential that no cell has', () => {
  it.each<[string, () => Promise<Awaited<ReturnType<typeof call>>>, string]>([
    ['API key', () => send(`em_live_${'z'.repeat(43)}`), 'api_key_invalid'],
    [
      'session',
      () => dashboard('GET', '/web-services', { authorization: `Bearer st_live_${'z'.repeat(43)}` }),
      'session_invalid',
    ],
    [
      'deploy hook',
      () => call('POST', `${gateway.url}/hooks/deploy/dh_live_${'z'.repeat(43)}`),
      'deploy_hook_not_found',
    ],
  ])('is refused: %s', async (_, request, code) => {
    for (const { services } of gateway.cells)
      services.on(findDeployHook, () => {
        throw new Refusal('deploy_hook_not_found', 'there is no such deploy hook');
      });
    expect((await request()).headers['error-code']).toBe(code);
  });

  it('gets the answer of a wrong password if it is an address', async () => {
    for (const { services } of gateway.cells)
      services.on(createSession, () => {
        throw new Refusal('credentials_wrong', 'incorrect email or password');
      });
    expect(codeOf(await signIn('nobody@elsewhere.example'))).toEqual([401, 'credentials_wrong']);
  });

  it.each([
    ['no JSON', '{"email":'],
    ['no address', '{"password":"a"}'],
    ['no object', 'null'],
  ])('is a mistake of the client: %s', async (_, body) => {
    expect((await dashboard('POST', '/session', {}, body)).status).toBe(400);
  });

  it('is not searched in a body that is too large', async () => {
    const answer = await dashboard('POST', '/session', {}, { email: 'a@b.example', password: 'x'.repeat(5_000) });
    expect(answer.status).toBe(413);
    expect(gateway.cells.flatMap(cell => cell.received())).toEqual([]);
  });
});

describe('New users', () => {
  const createUser = (cell: FakeCell, email: string) =>
    dashboard('POST', '/users', { authorization: `Bearer ${cell.session}` }, { email, password: 'a long enough one' });

  it('are created in the open cell', async () => {
    expect((await createUser(gateway.second, 'new@example.com')).status).toBe(201);
    const refused = await createUser(gateway.first, 'new@example.com');
    expect(codeOf(refused)).toEqual([409, 'cell_closed']);
    expect(refused.body).toEqual({ error: expect.stringContaining('operator of the cell second') });
  });

  it('have an address that no other cell has', async () => {
    expect(codeOf(await createUser(gateway.second, gateway.first.email))).toEqual([409, 'user_exists']);
    expect(requestsOf(gateway.second)).not.toContain('create-user');
  });

  it('cannot accept an invitation to one cell with the address of another', async () => {
    const { first, second } = gateway;
    const token = 'i'.repeat(43);
    const accept = () => dashboard('POST', '/invitations/accept', {}, { token, password: 'a long enough password' });
    const invite = (email: string) =>
      first.services.on(findCaller, ({ kind, value }) =>
        kind === 'invitation' && value === sha256(token) ? { found: true, email } : { found: false },
      );
    invite(second.email);
    expect(codeOf(await accept())).toEqual([409, 'user_exists']);
    invite('new@example.com');
    expect((await accept()).status).toBe(201);
    expect(first.services.requestsOf(acceptInvitation)).toHaveLength(1);
  });
});

describe('When a cell cannot be reached', () => {
  const ready = async () => {
    const answer = await call('GET', `${gateway.healthUrl}/health/ready`);
    return {
      status: answer.status,
      cells: (answer.body as { details: { nats: { cells: Record<string, string> } } }).details.nats.cells,
    };
  };

  it.each(['first', 'second'] as const)(
    'the %s, only its own tenants get 503, with the reason',
    async which => {
      gateway = await gateway.restartGateway();
      const away = gateway[which];
      const present = other(away);
      for (const { apiKey } of gateway.cells) expect((await send(apiKey)).status).toBe(200);
      await away.nats.kill();
      try {
        await waitFor(async () => (await send(away.apiKey)).status === 503, { timeoutMs: 20_000 });
        const unreachable = {
          status: 503,
          headers: expect.objectContaining({ 'retry-after': expect.any(String) }),
          text: expect.stringContaining(`The cell ${away.name} cannot be reached.`),
        };
        expect(await send(away.apiKey)).toMatchObject(unreachable);
        // Never seen before, so that it may be one of the cell that is away.
        expect(await list(away.platformKey)).toMatchObject(unreachable);
        expect(await list(`ak_live_${'z'.repeat(43)}`)).toMatchObject(unreachable);
        expect(await signIn(away.email)).toMatchObject(unreachable);

        expect((await send(present.apiKey)).status).toBe(200);
        expect((await list(present.platformKey)).status).toBe(200);
        expect((await signIn(present.email)).status).toBe(200);
        const metrics = await gateway.cellMetrics();
        expect(metrics).toMatchObject({ [`up ${present.name}`]: 1, [`up ${away.name}`]: 0 });
        expect(metrics[`unreachable ${away.name}`]).toBeGreaterThan(0);
        expect(metrics[`unreachable ${present.name}`]).toBe(0);
        expect(metrics[`answered ${present.name}`]).toBeGreaterThan(0);
        expect(await ready()).toMatchObject({
          status: 200,
          cells: { [present.name]: 'reachable', [away.name]: expect.stringContaining('unreachable') },
        });
      } finally {
        await away.nats.restart();
      }
      await waitFor(async () => (await send(away.apiKey)).status === 200, { timeoutMs: 20_000 });
      expect((await list(`ak_live_${'z'.repeat(43)}`)).status).not.toBe(503);
    },
    90_000,
  );

  it('at the start, the gateway serves the others, and it once it is back', async () => {
    const { first, second } = gateway;
    await first.nats.kill();
    gateway = await gateway.restartGateway();
    expect((await send(second.apiKey)).status).toBe(200);
    expect((await send(first.apiKey)).status).toBe(503);
    const link = TrackingTokens.fromSecrets([first.linkSecret]).unsubscribeToken(RECORD.id, 0);
    expect((await call('GET', `${gateway.url}/u/${link}`)).status).toBe(503);
    await first.nats.restart();
    await waitFor(async () => (await send(first.apiKey)).status === 200, { timeoutMs: 20_000 });
    expect((await ready()).cells).toMatchObject({ first: 'reachable', second: 'reachable' });
  }, 90_000);
});
