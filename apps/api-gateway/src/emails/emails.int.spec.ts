import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateApiKey, getEmail, Refusal, sendEmail } from '@postern/contracts';
import { Agent, request } from 'undici';
import {
  acceptEmails,
  EMAIL,
  ID,
  KEY,
  KEY_HASH,
  postEmail,
  RATE_LIMIT,
  RECORD,
  refused,
} from '../testing/email-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => acceptEmails(gateway.services));

const post = (body: unknown, headers: Record<string, string> = {}) => postEmail(gateway, body, headers);

describe('POST /emails', () => {
  it('responds with 200 and exactly the six fields of the record', async () => {
    expect(await post(EMAIL)).toMatchObject({ status: 200, body: RECORD });
  });

  it('sends one request to email-send, with the hash of the key', async () => {
    const body = `${JSON.stringify(EMAIL)}\n `;
    await post(body);
    expect(gateway.services.requestsOf(sendEmail)).toEqual([
      {
        api_key_hash: KEY_HASH,
        email_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        answer_within_ms: expect.any(Number),
        email: { ...EMAIL, cc: [], bcc: [], headers: {} },
      },
    ]);
  });

  it('returns the rate limit on success', async () => {
    const { headers } = await post(EMAIL);
    expect(headers).toMatchObject({
      'ratelimit-limit': '600',
      'ratelimit-remaining': '599',
      'ratelimit-reset': '42',
    });
  });

  describe('authentication', () => {
    it.each([
      ['missing', {}],
      ['empty', { 'api-key': '' }],
      ['of another form', { 'api-key': 'sk_live_123' }],
      ['too short', { 'api-key': KEY.slice(0, -1) }],
    ])('is refused with 401, without a request to a service, if the key is %s', async (_form, headers) => {
      const answer = await request(`${gateway.url}/emails`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(EMAIL),
      });
      expect(answer.statusCode).toBe(401);
      expect(await answer.body.json()).toEqual({ error: expect.any(String) });
      expect(gateway.services.received).toEqual([]);
    });

    it('fails with 401 for an unknown key', async () => {
      gateway.services.on(sendEmail, refused(new Refusal('api_key_invalid', 'The API key is not valid.')));
      expect(await post(EMAIL)).toMatchObject({ status: 401, body: { error: 'The API key is not valid.' } });
    });

    it('fails with 403 for a disabled service', async () => {
      gateway.services.on(sendEmail, refused(new Refusal('service_disabled', 'The email service is disabled.')));
      expect(await post(EMAIL)).toMatchObject({ status: 403, body: { error: 'The email service is disabled.' } });
    });

    it.each([
      ['an unknown field', JSON.stringify({ ...EMAIL, colour: 'red' }), {}],
      ['no JSON', 'hello', {}],
      ['another content type', 'hello', { 'content-type': 'text/plain' }],
      ['more than 10 MiB', Buffer.alloc(10 * 1024 * 1024 + 1, 32), {}],
      ['an empty idempotency key', JSON.stringify(EMAIL), { 'idempotency-key': '' }],
    ])('comes before errors about %s', async (_what, body, headers) => {
      gateway.services.on(authenticateApiKey, refused(new Refusal('api_key_invalid', 'The API key is not valid.')));
      expect(await post(body, headers)).toMatchObject({ status: 401, body: { error: 'The API key is not valid.' } });
    });
  });

  describe('the shape of the body', () => {
    it.each<[string, object | string, string]>([
      ['an unknown field', { ...EMAIL, colour: 'red' }, 'Unknown field "colour"'],
      [
        'to as a string',
        { ...EMAIL, to: 'grace@example.org' },
        'to must be an array of strings, such as ["grace@example.org"].',
      ],
      ['a number in to', { ...EMAIL, to: ['grace@example.org', 7] }, 'to[1] must be a string'],
      ['no from', { to: EMAIL.to, subject: 'x', text: 'x' }, 'from is required'],
      ['a null subject', { ...EMAIL, subject: null }, 'subject must be a string'],
      ['headers as a list', { ...EMAIL, headers: [] }, 'headers must be an object whose values are strings'],
      ['a header that is no string', { ...EMAIL, headers: { 'X-A': 1 } }, 'headers.X-A must be a string'],
      ['a list', [], 'The body must be an object'],
      ['null', 'null', 'The body must be an object'],
      ['text', '"hello"', 'The body must be an object'],
      ['broken JSON', '{"from":', 'not valid JSON'],
      ['nothing', '', 'must be a JSON object'],
      ['a NUL in the text', { ...EMAIL, text: 'a\0b' }, 'text must not contain NUL'],
      [
        'half a surrogate pair',
        '{"from":"a@b.c","to":["a@b.c"],"subject":"\\ud800","text":"x"}',
        'subject must be well',
      ],
      ['NUL in a recipient', { ...EMAIL, to: ['a@b.c', 'a\0@b.c'] }, 'to[1] must not contain NUL'],
      ['__proto__ at the top', '{"__proto__":{"from":"x"}}', '__proto__ is not allowed'],
      [
        '__proto__ in headers',
        '{"from":"a","to":["b"],"subject":"s","headers":{"__proto__":"x"}}',
        'headers.__proto__',
      ],
      ['an escaped __proto__', '{"headers":{"\\u005f_proto__":"x"}}', 'headers.__proto__ is not allowed'],
    ])('is refused with 400 for %s', async (_what, body, message) => {
      const answer = await post(body);
      expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(message) } });
      expect(Object.keys(answer.body as object)).toEqual(['error']);
      expect(gateway.services.requestsOf(sendEmail)).toEqual([]);
    });

    it('is refused without a hint for a name that every JavaScript object has', async () => {
      const { body } = await post({ ...EMAIL, constructor: 1 });
      expect(body).toEqual({ error: 'Unknown field "constructor".' });
    });

    it('is refused with 400 if it is not UTF-8', async () => {
      const body = Buffer.concat([Buffer.from('{"subject":"'), Buffer.from([0xff]), Buffer.from('"}')]);
      expect(await post(body)).toMatchObject({ status: 400, body: { error: expect.stringContaining('UTF-8') } });
    });

    it('can have duplicate keys, of which only the last is forwarded', async () => {
      await post('{"from":"a@b.c","to":["x@y.z"],"to":["d@e.f"],"subject":"s","text":"t"}');
      expect(gateway.services.requestsOf(sendEmail)[0]?.email.to).toEqual(['d@e.f']);
    });

    it('can be nested 100,000 levels deep without a crash', async () => {
      const deep = `${'['.repeat(100_000)}"\\u0000"${']'.repeat(100_000)}`;
      expect(await post(`{"from":${deep}}`)).toMatchObject({ status: 400 });
    });

    it('is accepted up to 10 MiB and refused with 413 beyond', async () => {
      const overhead = Buffer.byteLength(JSON.stringify({ ...EMAIL, text: '' }));
      const largest = JSON.stringify({ ...EMAIL, text: 'x'.repeat(10 * 1024 * 1024 - overhead) });
      // Other tests also send refused bodies, and the gateway discards at most 16 MiB of them per address.
      const client = new Agent({ connect: { localAddress: '127.0.0.2' } });
      expect((await postEmail(gateway, largest, {}, client)).status).toBe(200);
      const answer = await postEmail(gateway, `${largest} `, {}, client);
      expect(answer).toMatchObject({ status: 413, body: { error: expect.any(String) } });
      await client.close();
    });

    it('may have 25 MiB of files in addition, and 36 MiB in all', async () => {
      const content = 'A'.repeat(Math.ceil((25 * 1024 * 1024) / 3) * 4);
      const client = new Agent({ connect: { localAddress: '127.0.0.3' } });
      const withFile = { ...EMAIL, attachments: [{ filename: 'a.bin', content }] };
      expect((await postEmail(gateway, JSON.stringify(withFile), {}, client)).status).toBe(200);
      const [sent] = gateway.services.requestsOf(sendEmail).slice(-1);
      expect(sent?.email.attachments?.[0]?.content.length).toBe(content.length);
      const text = 'x'.repeat(10 * 1024 * 1024);
      const small = { ...EMAIL, text, attachments: [{ filename: 'a.bin', content: 'AAAA' }] };
      expect(await postEmail(gateway, JSON.stringify(small), {}, client)).toMatchObject({
        status: 413,
        body: { error: 'The message without its attachments is larger than 10 MiB.' },
      });
      await client.close();
    }, 60_000);

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/json; charset=latin1',
    ])('is refused with 415 if it is %s', async type => {
      expect(await post(EMAIL, { 'content-type': type })).toMatchObject({ status: 415 });
    });

    it.each(['json', 'x; charset=utf-8', '/json', 'application/json, text/plain'])(
      'is refused with the expected type, after authentication, if its type is %s',
      async type => {
        const expected = { status: 415, body: { error: 'Content-Type must be application/json.' } };
        expect(await post(EMAIL, { 'content-type': type })).toMatchObject(expected);
        gateway.services.on(authenticateApiKey, refused(new Refusal('api_key_invalid', 'The API key is not valid.')));
        expect(await post(EMAIL, { 'content-type': type })).toMatchObject({ status: 401 });
      },
    );

    it('is refused with 415 if it is compressed', async () => {
      expect(await post(EMAIL, { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
    });

    it('can have a charset', async () => {
      expect(await post(EMAIL, { 'content-type': 'application/json; charset=UTF-8' })).toMatchObject({ status: 200 });
    });
  });

  describe('idempotency', () => {
    it('forwards the key', async () => {
      await post(EMAIL, { 'idempotency-key': 'order-7' });
      expect(gateway.services.requestsOf(sendEmail)[0]?.idempotency_key).toBe('order-7');
    });

    it('marks a replayed response', async () => {
      gateway.services.on(sendEmail, () => ({ email: RECORD, rate_limit: RATE_LIMIT, replayed: true }));
      expect((await post(EMAIL, { 'idempotency-key': 'k' })).headers['idempotent-replayed']).toBe('true');
      gateway.services.on(sendEmail, () => ({ email: RECORD, rate_limit: RATE_LIMIT, replayed: false }));
      expect((await post(EMAIL, { 'idempotency-key': 'k' })).headers['idempotent-replayed']).toBeUndefined();
    });

    it.each(['', 'x'.repeat(256)])('refuses an empty key or one of more than 255 characters with 400', async key => {
      expect(await post(EMAIL, { 'idempotency-key': key })).toMatchObject({ status: 400 });
    });

    it('responds with 409 without Retry-After to the same key with another body', async () => {
      gateway.services.on(sendEmail, refused(new Refusal('idempotency_key_reused', 'Another body had this key.')));
      const answer = await post(EMAIL, { 'idempotency-key': 'k' });
      expect(answer.status).toBe(409);
      expect(answer.headers['retry-after']).toBeUndefined();
    });

    it('responds with 409 and Retry-After 1 while the first request is in progress', async () => {
      gateway.services.on(sendEmail, refused(new Refusal('idempotency_key_in_flight', 'Still under way.')));
      expect(await post(EMAIL, { 'idempotency-key': 'k' })).toMatchObject({
        status: 409,
        headers: { 'retry-after': '1' },
      });
    });
  });

  it('responds with 429, Retry-After and the rate limit', async () => {
    const details = { retry_after_s: 17, rate_limit: { limit: 60, remaining: 0, reset_s: 17 } };
    gateway.services.on(sendEmail, refused(new Refusal('minute_limit_reached', 'Too many in this minute.', details)));
    expect(await post(EMAIL)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '17', 'ratelimit-limit': '60', 'ratelimit-remaining': '0', 'ratelimit-reset': '17' },
      body: { error: expect.stringMatching(/^Too many in this minute\. Try again in 17 seconds, at .* UTC\.$/) },
    });
  });
});

describe('GET /emails/{id}', () => {
  const get = async (id: string, method: 'GET' | 'HEAD' = 'GET') => {
    const answer = await request(`${gateway.url}/emails/${id}`, { method, headers: { 'api-key': KEY } });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: text ? JSON.parse(text) : undefined };
  };

  it('returns the stored record', async () => {
    gateway.services.on(getEmail, () => RECORD);
    expect(await get(ID)).toEqual({ status: 200, body: RECORD });
    expect(gateway.services.requestsOf(getEmail)).toEqual([{ api_key_hash: KEY_HASH, email_id: ID }]);
  });

  it('responds to HEAD without a body', async () => {
    gateway.services.on(getEmail, () => RECORD);
    expect(await get(ID, 'HEAD')).toEqual({ status: 200, body: undefined });
  });

  it('responds with 404 to an unknown id', async () => {
    gateway.services.on(getEmail, refused(new Refusal('email_not_found', 'There is no such email.')));
    expect(await get(ID)).toEqual({ status: 404, body: { error: 'There is no such email.' } });
  });

  it('responds with 400 to an id that is not a UUID, after authentication', async () => {
    expect(await get('17')).toEqual({ status: 400, body: { error: 'id must be a UUID.' } });
    gateway.services.on(authenticateApiKey, refused(new Refusal('api_key_invalid', 'The API key is not valid.')));
    expect(await get('17')).toMatchObject({ status: 401 });
  });
});
