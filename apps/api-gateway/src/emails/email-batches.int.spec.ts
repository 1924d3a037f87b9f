import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateApiKey, Refusal, sendEmail } from '@postern/contracts';
import { withoutEffect } from '@postern/messaging';
import { request } from 'undici';
import { acceptEmails, EMAIL, KEY, KEY_HASH, RATE_LIMIT, RECORD, refused } from '../testing/email-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';

const MIB = 1024 * 1024;

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => acceptEmails(gateway.services));

const post = async (body: unknown, headers: Record<string, string> = {}) => {
  const answer = await request(`${gateway.url}/emails/batch`, {
    method: 'POST',
    headers: { 'api-key': KEY, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.json() };
};
const sent = () => gateway.services.requestsOf(sendEmail);

describe('POST /emails/batch', () => {
  it('sends each message as POST /emails does, and answers in their order', async () => {
    const subjects = Array.from({ length: 100 }, (_, place) => `No. ${place}`);
    gateway.services.on(sendEmail, ({ email }) => ({
      email: { ...RECORD, message: String(email.subject) },
      rate_limit: { ...RATE_LIMIT, remaining: email.subject === 'No. 7' ? 3 : 500 },
      replayed: false,
    }));
    const { status, headers, body } = await post(subjects.map(subject => ({ ...EMAIL, subject })));
    expect({ status, body }).toEqual({
      status: 200,
      body: subjects.map(message => ({ status: 200, email: { ...RECORD, message } })),
    });
    expect(headers['ratelimit-remaining']).toBe('3');
    expect(sent()).toHaveLength(100);
    expect(new Set(sent().map(({ email_id }) => email_id)).size).toBe(100);
    expect(sent()[0]).toMatchObject({ api_key_hash: KEY_HASH, email: { from: EMAIL.from, cc: [], headers: {} } });
    expect(sent()[0]).not.toHaveProperty('idempotency_key');
  });

  it('refuses one bad message without the others', async () => {
    gateway.services.on(sendEmail, ({ email }) => {
      if (email.subject === 'refused') throw new Refusal('invalid_email', 'to[0]: this is not an address');
      if (email.subject === 'limited')
        throw new Refusal('daily_limit_reached', 'the daily limit is reached', { retry_after_s: 60 });
      if (email.subject === 'broken') throw withoutEffect(new Error('secret cause'));
      return { email: RECORD, rate_limit: RATE_LIMIT, replayed: false };
    });
    const bad = ['refused', 'limited', 'broken'].map(subject => ({ ...EMAIL, subject }));
    const large = { ...EMAIL, text: 'x'.repeat(10 * MIB) };
    const { status, body } = await post([EMAIL, { ...EMAIL, colour: 'red' }, null, ...bad, large, EMAIL]);
    const error = (code: number, error_code: string, text: RegExp) => ({
      status: code,
      error: expect.stringMatching(text),
      error_code,
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: [
        { status: 200, email: RECORD },
        error(400, 'invalid_input', /^Unknown field "colour"/),
        error(400, 'invalid_input', /must be an object/),
        error(400, 'invalid_email', /^to\[0\]: this is not an address\.$/),
        error(429, 'daily_limit_reached', /Try again in 60 seconds/),
        error(500, expect.any(String) as never, /^(?!.*secret)/),
        error(413, 'body_too_large', /larger than 10 MiB/),
        { status: 200, email: RECORD },
      ],
    });
  });

  it('derives the key of each message from that of the batch and its place', async () => {
    const keys = async (key: string) => {
      gateway.services.received.length = 0;
      await post([EMAIL, EMAIL], { 'idempotency-key': key });
      return sent()
        .map(({ idempotency_key }) => idempotency_key)
        .sort();
    };
    const [first, second, other] = [await keys('a'.repeat(255)), await keys('a'.repeat(255)), await keys('b')];
    expect(new Set([...first, ...other]).size).toBe(4);
    expect(second).toEqual(first);
    expect(Math.max(...first.map(key => key?.length ?? 0))).toBeLessThanOrEqual(255);
  });

  it('says that it repeats an answer if all messages do', async () => {
    gateway.services.on(sendEmail, ({ email }) => ({
      email: RECORD,
      rate_limit: RATE_LIMIT,
      replayed: email.subject !== 'new',
    }));
    expect((await post([EMAIL, EMAIL])).headers['idempotent-replayed']).toBe('true');
    expect((await post([EMAIL, { ...EMAIL, subject: 'new' }])).headers['idempotent-replayed']).toBeUndefined();
  });

  it.each([
    ['no message', [], 400],
    ['101 messages', Array(101).fill(EMAIL), 400],
    ['one message without a list', EMAIL, 400],
    ['more than 36 MiB', [{ ...EMAIL, text: 'x'.repeat(36 * MIB) }], 413],
  ])('is refused as a whole for %s', async (_, body, status) => {
    // The gateway resets the connection of a body that it does not read to its end.
    const answer = await post(body, { connection: 'close' });
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(sent()).toEqual([]);
  });

  it('takes more than the 10 MiB of one message', async () => {
    const { body } = await post(Array(2).fill({ ...EMAIL, text: 'x'.repeat(6 * MIB) }));
    expect(body).toEqual(Array(2).fill({ status: 200, email: RECORD }));
  });

  it('is refused as a whole for an invalid key, before its content is looked at', async () => {
    gateway.services.on(authenticateApiKey, refused(new Refusal('api_key_invalid', 'The API key is not valid.')));
    expect(await post({})).toMatchObject({ status: 401, body: { error: 'The API key is not valid.' } });
    expect(sent()).toEqual([]);
  });
});
