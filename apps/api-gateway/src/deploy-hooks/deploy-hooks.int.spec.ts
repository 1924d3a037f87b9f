import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Refusal, receiveDeployHook } from '@postern/contracts';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.services.reset();
  gateway.services.on(receiveDeployHook, () => ({ outcome: 'deployed' as const, reason: null, deployment_id: null }));
});

const post = (options: object = {}) => call('POST', `${gateway.url}/hooks/deploy/abc`, options);
const received = () => gateway.services.requestsOf(receiveDeployHook);

describe('the URL of a deploy hook', () => {
  it('needs no credential and no body', async () => {
    expect((await post()).status).toBe(202);
    expect(received()).toEqual([{ token: 'abc', headers: {}, content_type: '', body: '' }]);
  });

  it('hands over the bytes of the body, whatever they are, and only the headers of Git hosts', async () => {
    const headers = { 'x-github-event': 'push', 'content-type': 'application/json', cookie: 'a=b', 'x-other': 'c' };
    expect((await post({ headers, body: '{"ref" : 1}' })).status).toBe(202);
    expect((await post({ headers: { 'content-type': 'text/plain' }, body: 'no JSON' })).status).toBe(202);
    expect(received()).toEqual([
      {
        token: 'abc',
        headers: { 'x-github-event': 'push' },
        content_type: 'application/json',
        body: Buffer.from('{"ref" : 1}').toString('base64'),
      },
      { token: 'abc', headers: {}, content_type: 'text/plain', body: Buffer.from('no JSON').toString('base64') },
    ]);
  });

  it.each([
    ['deploy_hook_not_found', 404],
    ['invalid_signature', 401],
    ['invalid_event', 400],
    ['too_many_calls', 429],
    ['service_blocked', 403],
  ])('answers %s with %i', async (code, status) => {
    gateway.services.on(receiveDeployHook, () => {
      throw new Refusal(code, 'the reason');
    });
    expect((await post()).status).toBe(status);
  });

  it('takes a bounded body', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await post({ headers, body: 'x'.repeat(2 ** 20 + 1) })).status).toBe(413);
    expect(received()).toEqual([]);
  });
});
