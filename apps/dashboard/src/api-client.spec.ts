import { describe, expect, it } from '@jest/globals';
import { ApiClient, type ApiError, queryString } from './api-client.js';

describe('the API client', () => {
  it('keeps the words of a refusal, and when to try again', async () => {
    const { client } = answering(429, { error: 'too many failed logins; try again later' }, { 'retry-after': '900' });
    expect(await failureOf(client.get('/me'))).toMatchObject({
      status: 429,
      message: 'too many failed logins; try again later',
      retryAfterS: 900,
    });
  });

  it('has words of its own where an answer is no JSON', async () => {
    const { client } = answering(502, undefined);
    expect(await failureOf(client.get('/me'))).toMatchObject({
      status: 502,
      message: 'The server answered with status 502.',
      retryAfterS: null,
    });
  });

  it('says so when nothing answers', async () => {
    const client = new ApiClient(() => Promise.reject(new TypeError('Failed to fetch')));
    expect(await failureOf(client.get('/me'))).toMatchObject({
      status: 0,
      message: expect.stringContaining('reached'),
    });
  });

  it('tells when the session has ended', async () => {
    const { client, signedOut } = answering(401, { error: 'the session is unknown' });
    await failureOf(client.get('/email-services'));
    expect(signedOut()).toBe(1);
  });

  it('takes a wrong password for nothing more than that', async () => {
    const { client, signedOut } = answering(401, { error: 'the current password is wrong' });
    await failureOf(client.post('/me/password', {}, { judgesPassword: true }));
    expect(signedOut()).toBe(0);
  });

  it('sends a body as JSON below the path of the dashboard API, and none where there is none', async () => {
    const { client, asked } = answering(200, {});
    await client.post('/email-services', { name: 'Shop' });
    await client.delete('/session');
    expect(asked).toEqual([
      [
        '/dashboard/api/email-services',
        { method: 'POST', body: '{"name":"Shop"}', headers: { 'content-type': 'application/json' } },
      ],
      ['/dashboard/api/session', { method: 'DELETE' }],
    ]);
  });

  it('leaves filters out that are not set', () =>
    expect(queryString({ search: 'a&b', state: '', from: undefined, offset: 0 })).toBe('?search=a%26b&offset=0'));
});

const answering = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  const asked: unknown[] = [];
  let times = 0;
  const client = new ApiClient(async (...request) => {
    asked.push(request);
    return new Response(body === undefined ? '<html>' : JSON.stringify(body), { status, headers });
  });
  client.onSignedOut = () => {
    times++;
  };
  return { client, asked, signedOut: () => times };
};

const failureOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => Promise.reject(new Error('The call was to fail.')),
    (error: ApiError) => error,
  );
