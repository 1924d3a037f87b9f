import { describe, expect, it } from '@jest/globals';
import { ApiClient, type ApiError, queryString } from './api-client.js';

const KEY = expect.stringMatching(/^[0-9a-f]{32}$/);

describe('the API client', () => {
  it('keeps the message of an error response and its Retry-After', async () => {
    const { client } = respondingWith(
      429,
      { error: 'too many failed logins; try again later' },
      { 'retry-after': '900' },
    );
    expect(await failureOf(client.get('/me'))).toMatchObject({
      status: 429,
      message: 'too many failed logins; try again later',
      retryAfterS: 900,
    });
  });

  it('has a default message for a response that is not JSON', async () => {
    const { client } = respondingWith(502, undefined);
    expect(await failureOf(client.get('/me'))).toMatchObject({
      status: 502,
      message: 'The server responded with status 502.',
      retryAfterS: null,
    });
  });

  it('reports when the server cannot be reached', async () => {
    const client = new ApiClient(() => Promise.reject(new TypeError('Failed to fetch')));
    expect(await failureOf(client.get('/me'))).toMatchObject({
      status: 0,
      message: expect.stringContaining('Could not reach'),
    });
  });

  it('calls onSignedOut when the session has ended', async () => {
    const { client, signedOut } = respondingWith(401, { error: 'the session is unknown' });
    await failureOf(client.get('/email-services'));
    expect(signedOut()).toBe(1);
  });

  it('does not call onSignedOut for a wrong password', async () => {
    const { client, signedOut } = respondingWith(401, { error: 'the current password is incorrect' });
    await failureOf(client.post('/me/password', {}, { checksPassword: true }));
    expect(signedOut()).toBe(0);
  });

  it('does not call onSignedOut for a late answer to a request from before the login', async () => {
    let answer: (response: Response) => void = () => {};
    const late = new Promise<Response>(resolve => {
      answer = resolve;
    });
    const client = new ApiClient(url => (String(url).endsWith('/session') ? Promise.resolve(Response.json({})) : late));
    let signOuts = 0;
    client.onSignedOut = () => {
      signOuts += 1;
    };
    const failure = failureOf(client.get('/projects'));
    await client.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
    answer(Response.json({ error: 'the session is unknown' }, { status: 401 }));
    expect(await failure).toMatchObject({ status: 401 });
    expect(signOuts).toBe(0);
  });

  it('sends a body as JSON to the dashboard API, and no content type without a body', async () => {
    const { client, requests } = respondingWith(200, {});
    await client.post('/email-services', { name: 'Shop' });
    await client.delete('/session');
    expect(requests).toEqual([
      [
        '/dashboard/api/email-services',
        {
          method: 'POST',
          body: '{"name":"Shop"}',
          headers: { 'content-type': 'application/json', 'idempotency-key': KEY },
        },
      ],
      ['/dashboard/api/session', { method: 'DELETE', headers: { 'idempotency-key': KEY } }],
    ]);
  });

  it.each([
    ['a lost connection', undefined, {}],
    ['a 503', 503, { 'error-code': 'outcome_unknown' }],
    ['an attempt that is still in progress', 409, { 'error-code': 'idempotency_key_in_flight' }],
  ])('repeats a command with the same idempotency key after %s', async (_what, status, headers) => {
    const keys: ReturnType<typeof keyOf>[] = [];
    const answers: (Response | undefined)[] = [
      status === undefined ? undefined : Response.json({ error: 'Unknown.' }, { status, headers }),
      Response.json({}),
      Response.json({}),
    ];
    const client = new ApiClient((_url, init) => {
      keys.push(keyOf(init));
      const answer = answers.shift();
      return answer ? Promise.resolve(answer) : Promise.reject(new TypeError('Failed to fetch'));
    });
    await failureOf(client.post('/projects', { name: 'Shop' }));
    await client.post('/projects', { name: 'Shop' });
    await client.post('/projects', { name: 'Shop' });
    const [first, second, third] = keys;
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect([second === first, third === first]).toEqual([true, false]);
  });

  it('has another idempotency key for another command, and none for a read', async () => {
    const { client, requests } = respondingWith(503, { error: 'Unknown.' });
    await failureOf(client.post('/projects', { name: 'Shop' }));
    await failureOf(client.post('/projects', { name: 'Blog' }));
    await failureOf(client.get('/projects'));
    const keys = requests.map(([, init]) => keyOf(init));
    expect([keys[0] === keys[1], keys[2]]).toEqual([false, undefined]);
  });

  it('omits filters that are not set', () =>
    expect(queryString({ search: 'a&b', state: '', from: undefined, offset: 0 })).toBe('?search=a%26b&offset=0'));
});

const keyOf = (init: RequestInit | undefined) => new Headers(init?.headers).get('idempotency-key') ?? undefined;

const respondingWith = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  const requests: Parameters<typeof fetch>[] = [];
  let signOuts = 0;
  const client = new ApiClient(async (...request) => {
    requests.push(request);
    return new Response(body === undefined ? '<html>' : JSON.stringify(body), { status, headers });
  });
  client.onSignedOut = () => {
    signOuts++;
  };
  return { client, requests, signedOut: () => signOuts };
};

const failureOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => Promise.reject(new Error('The call succeeded.')),
    (error: ApiError) => error,
  );
