import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateApiKey, Refusal, type ReportedRequest, sendEmail } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { acceptEmails, EMAIL, ID, KEY, KEY_HASH, postEmail, refused } from '../testing/email-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { call } from '../testing/http.js';
import * as platform from '../testing/platform-call.js';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway.stop());
beforeEach(() => acceptEmails(gateway.services));

const logged = async (requestId: string): Promise<ReportedRequest> => {
  const find = () => gateway.services.logged.find(({ request_id }) => request_id === requestId);
  await waitFor(() => find() !== undefined, { describe: () => `the request ${requestId} to be logged` });
  return find()!;
};

describe('the log of requests', () => {
  it('has a refused email with its code, its sentence and its body without contents', async () => {
    const body = { ...EMAIL, replyTo: ['ada@example.com'] };
    const answer = await postEmail(gateway, body, { 'x-request-id': 'refused-1' });
    expect(answer.status).toBe(400);
    const entry = await logged('refused-1');
    expect(entry).toMatchObject({
      key_hash: KEY_HASH,
      method: 'POST',
      path: '/emails',
      status: 400,
      code: answer.headers['error-code'],
      message: (answer.body as { error: string }).error,
      email_id: null,
    });
    expect(JSON.parse(entry.body!)).toEqual({ ...body, text: '[13 characters]' });
  });

  it('has a sent email with its id, and without a body', async () => {
    await postEmail(gateway, EMAIL, { 'x-request-id': 'sent-1' });
    expect(await logged('sent-1')).toMatchObject({ status: 200, code: null, message: null, email_id: ID, body: null });
  });

  it('has what a service refuses, and a body that is not JSON without it', async () => {
    gateway.services.on(sendEmail, refused(new Refusal('daily_limit_reached', 'the daily limit is reached')));
    await postEmail(gateway, EMAIL, { 'x-request-id': 'refused-2' });
    expect(await logged('refused-2')).toMatchObject({ status: 429, code: 'daily_limit_reached' });
    await postEmail(gateway, '{"from": ', { 'x-request-id': 'refused-3' });
    expect(await logged('refused-3')).toMatchObject({ status: 400, code: 'invalid_json', body: null });
  });

  it('has calls of the platform API, without the query and without secret values', async () => {
    platform.admitAll(gateway.services);
    const url = `${gateway.url}/api/v1/web-services/${ID}`;
    const headers = platform.bearer;
    await call('GET', `${url}/logs?search=hunter2`, { headers: { ...headers, 'x-request-id': 'read-1' } });
    expect(await logged('read-1')).toMatchObject({
      key_hash: platform.KEY_HASH,
      path: `/api/v1/web-services/${ID}/logs`,
      status: 200,
    });
    const variable = { key: 'TOKEN', value: 'hunter2', is_secret: true };
    await call('POST', `${url}/env`, { headers: { ...headers, 'x-request-id': 'write-1' }, body: variable });
    const entry = await logged('write-1');
    expect(JSON.parse(entry.body!)).toEqual({ ...variable, value: '[7 characters]' });
    expect(JSON.stringify(gateway.services.logged)).not.toContain('hunter2');
  });

  it('has no request without a well-formed key, and no key itself', async () => {
    gateway.services.on(authenticateApiKey, refused(new Refusal('api_key_invalid', 'the API key is not valid')));
    await postEmail(gateway, EMAIL, { 'api-key': 'em_live_short', 'x-request-id': 'none-1' });
    await call('GET', `${gateway.url}/health/live`, { headers: { 'x-request-id': 'none-2' } });
    await postEmail(gateway, { ...EMAIL, unknown: 1 }, { 'x-request-id': 'some-1' });
    expect(await logged('some-1')).toMatchObject({ status: 401 });
    expect(gateway.services.logged.filter(({ request_id }) => request_id.startsWith('none'))).toEqual([]);
    expect(JSON.stringify(gateway.services.logged)).not.toContain(KEY);
  });
});
