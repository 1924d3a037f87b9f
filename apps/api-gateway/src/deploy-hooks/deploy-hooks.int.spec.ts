import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findDeployHook, Refusal, receiveDeployHook } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { announced, call, firstAnswer } from '../testing/http.js';

const HOOK = '0198c9f0-0000-7000-8000-000000000004';
const WEB_SERVICE = '0198c9f0-0000-7000-8000-000000000005';
const WORKSPACE = '0198c9f0-0000-7000-8000-000000000006';
const DEPLOYMENT = '0198c9f0-0000-7000-8000-000000000007';
const tokenOf = (letter: string) => `dh_live_${letter.repeat(43)}`;
const TOKEN = tokenOf('a');
const UNKNOWN = tokenOf('0');
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  gateway.services.on(findDeployHook, ({ token_hash }) => {
    if (token_hash === hashOf(UNKNOWN)) throw new Refusal('deploy_hook_not_found', 'there is no such deploy hook');
    return {
      id: `${HOOK.slice(0, -4)}${token_hash.slice(0, 4)}`,
      web_service_id: WEB_SERVICE,
      workspace_id: WORKSPACE,
    };
  });
  gateway.services.on(receiveDeployHook, () => ({ outcome: 'deployed' as const, reason: null, deployment_id: null }));
});

const post = (options: object = {}, token = TOKEN) => call('POST', `${gateway.url}/hooks/deploy/${token}`, options);
const received = () => gateway.services.requestsOf(receiveDeployHook);

describe('the URL of a deploy hook', () => {
  it('requires no other credential and no body', async () => {
    expect((await post()).status).toBe(202);
    expect(received()).toEqual([{ token: TOKEN, headers: {}, content_type: '', body: '' }]);
  });

  it('forwards the body unchanged, and only the headers of Git hosts', async () => {
    const headers = { 'x-github-event': 'push', 'content-type': 'application/json', cookie: 'a=b', 'x-other': 'c' };
    expect((await post({ headers, body: '{"ref" : 1}' })).status).toBe(202);
    expect((await post({ headers: { 'content-type': 'text/plain' }, body: 'no JSON' })).status).toBe(202);
    expect(received()).toEqual([
      {
        token: TOKEN,
        headers: { 'x-github-event': 'push' },
        content_type: 'application/json',
        body: Buffer.from('{"ref" : 1}').toString('base64'),
      },
      { token: TOKEN, headers: {}, content_type: 'text/plain', body: Buffer.from('no JSON').toString('base64') },
    ]);
  });

  it.each([
    ['deploy_hook_not_found', 404],
    ['invalid_signature', 401],
    ['invalid_event', 400],
    ['too_many_calls', 429],
    ['service_blocked', 403],
  ])('responds to %s with %i', async (code, status) => {
    gateway.services.on(receiveDeployHook, () => {
      throw new Refusal(code, 'the reason');
    });
    expect((await post()).status).toBe(status);
  });

  it('accepts a body of limited size', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await post({ headers, body: 'x'.repeat(2 ** 20 + 1) })).status).toBe(413);
    expect(received()).toEqual([]);
  });
});

describe('a call with an unknown token', () => {
  const flood = (token: string) => firstAnswer(gateway.port, announced(`POST /hooks/deploy/${token}`, 2 ** 20));

  it('gets 404 before its body is read, and platform-management is called once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => flood(UNKNOWN)));
    expect(answers.every(answer => answer.startsWith('HTTP/1.1 404 '))).toBe(true);
    expect(gateway.services.requestsOf(findDeployHook)).toEqual([{ token_hash: hashOf(UNKNOWN) }]);
    expect(received()).toEqual([]);
    expect(gateway.services.audited).toEqual([]);
  });

  it.each(['x', `${TOKEN}x`, 'em_live_'.padEnd(51, 'a'), encodeURIComponent('a/b')])(
    'gets 404 without a request to platform-management if it is malformed (%s)',
    async token => {
      expect(await flood(token)).toMatch(/^HTTP\/1\.1 404 /);
      expect(gateway.services.received).toEqual([]);
    },
  );

  it('gets an interim response only if the hook exists', async () => {
    const head = (token: string) =>
      announced(`POST /hooks/deploy/${token}`, 2 ** 20, ['Expect: 100-continue']).slice(0, -1);
    expect(await firstAnswer(gateway.port, head(UNKNOWN))).toMatch(/^HTTP\/1\.1 404 /);
    expect(await firstAnswer(gateway.port, head(TOKEN))).toMatch(/^HTTP\/1\.1 100 /);
  });
});

it('A deploy hook with repeated wrong signatures gets 429 before the body, and others are served', async () => {
  gateway.services.on(receiveDeployHook, ({ token }) => {
    if (token === tokenOf('b')) throw new Refusal('invalid_signature', 'the reason');
    return { outcome: 'deployed' as const, reason: null, deployment_id: DEPLOYMENT };
  });
  const calls = await Promise.all(Array.from({ length: 120 }, () => post({}, tokenOf('b'))));
  const statuses = Object.groupBy(calls, ({ status }) => status);
  expect(Object.keys(statuses)).toEqual(['401', '429']);
  expect(statuses[401]?.length).toBeGreaterThanOrEqual(60);
  expect(statuses[429]?.[0]?.headers['retry-after']).toBe('1');
  const refused = received().length;
  expect(refused).toBe(statuses[401]?.length);
  const head = announced(`POST /hooks/deploy/${tokenOf('b')}`, 2 ** 20, ['Expect: 100-continue']);
  await waitFor(async () => (await firstAnswer(gateway.port, head)).startsWith('HTTP/1.1 429 '));
  expect(received().length).toBe(refused);
  expect((await post({}, tokenOf('c'))).status).toBe(202);
});

describe('the audit log', () => {
  const entryOf = (outcome: string) => gateway.services.audited.find(entry => entry.outcome === outcome);

  it('contains a deployment by a hook, with the hook as its actor', async () => {
    gateway.services.on(receiveDeployHook, () => ({
      outcome: 'deployed' as const,
      reason: null,
      deployment_id: DEPLOYMENT,
    }));
    await post({}, tokenOf('d'));
    const actor = { type: 'deploy_hook', id: expect.stringMatching(HOOK.slice(0, -4)) };
    const shared = { actor, action: 'deploy_hook.called', workspace_id: WORKSPACE };
    expect(entryOf('attempted')).toMatchObject({ ...shared, resource: { type: 'web_service', id: WEB_SERVICE } });
    expect(entryOf('succeeded')).toMatchObject({ ...shared, resource: { type: 'deployment', id: DEPLOYMENT } });
    expect(JSON.stringify(gateway.services.audited)).not.toContain('dh_live_');
  });

  it('contains a refused signature with its code', async () => {
    gateway.services.on(receiveDeployHook, () => {
      throw new Refusal('invalid_signature', 'the reason');
    });
    await post({}, tokenOf('e'));
    expect(entryOf('refused')).toMatchObject({ actor: { type: 'deploy_hook' }, code: 'invalid_signature' });
  });
});
