import { describe, expect, it } from '@jest/globals';
import { answerOf, type Mistake } from './mistake.js';
import { sharedPlatform } from './stories.js';

const platform = await sharedPlatform();
const { world } = platform;
const sandbox = await world.sender('Sandbox of mistakes');
const shop = await world.sender('Mistakes', 'mistakes.test');

const UNKNOWN_ID = '0198f3a0-0000-7000-8000-000000000000';
const EMAIL = { from: 'Shop <orders@mistakes.test>', to: ['ada@customers.test'], subject: 'Receipt', text: 'Paid.' };
const { text: _, ...WITHOUT_BODY } = EMAIL;
const many = (count: number) => Array.from({ length: count }, (_, n) => `a${n}@customers.test`);

const post = (body: unknown, headers: Record<string, string> = {}) =>
  world.call('POST', '/emails', { headers: { 'api-key': shop.apiKey, ...headers }, body });
const get = (path: string, headers: Record<string, string> = { 'api-key': shop.apiKey }) =>
  world.call('GET', path, { headers });

const KEY_FORM = 'Send the key of an email service as "Api-Key: em_live_…".';
const KINDS =
  'Keys that begin with ak_live_ are for the platform API; POST /emails needs the key of an email service, which begins with em_live_.';

const MISTAKES: readonly Mistake[] = [
  [
    'no key',
    () => world.call('POST', '/emails', { body: EMAIL }),
    401,
    'api_key_missing',
    `The Api-Key header is missing. ${KEY_FORM}`,
  ],
  [
    'the key as a Bearer token',
    () => world.call('POST', '/emails', { headers: { authorization: `Bearer ${shop.apiKey}` }, body: EMAIL }),
    401,
    'api_key_missing',
    `The Api-Key header is missing. ${KEY_FORM} This API does not read the Authorization header.`,
  ],
  [
    'the key as X-API-Key',
    () => world.call('POST', '/emails', { headers: { 'x-api-key': shop.apiKey }, body: EMAIL }),
    401,
    'api_key_missing',
    `The Api-Key header is missing. The key is in the header X-API-Key. ${KEY_FORM}`,
  ],
  [
    'an unknown key',
    () => post(EMAIL, { 'api-key': `em_live_${'A'.repeat(43)}` }),
    401,
    'api_key_invalid',
    'The API key is not valid.',
  ],
  [
    'half of a key',
    () => post(EMAIL, { 'api-key': 'em_live_abc' }),
    401,
    'api_key_invalid',
    'The API key is not valid.',
  ],
  [
    'a platform key as Api-Key',
    () => post(EMAIL, { 'api-key': platform.writer.key }),
    401,
    'api_key_invalid',
    `The API key is not valid. ${KINDS}`,
  ],
  [
    'a platform key as a Bearer token',
    () => world.call('POST', '/emails', { headers: { authorization: `Bearer ${platform.writer.key}` }, body: EMAIL }),
    401,
    'api_key_missing',
    `The Api-Key header is missing. ${KINDS}`,
  ],
  [
    'an empty object',
    () => post({}),
    400,
    'invalid_input',
    'from is required; to is required; subject is required. Give at least one of message, text and template.',
  ],
  [
    'neither message nor text',
    () => post(WITHOUT_BODY),
    400,
    'invalid_email',
    'message: an HTML body (message) or a plain-text body (text) is required.',
  ],
  [
    'to as a string',
    () => post({ ...EMAIL, to: 'ada@customers.test' }),
    400,
    'invalid_input',
    'to must be an array of strings, such as ["ada@customers.test"].',
  ],
  ['no recipient', () => post({ ...EMAIL, to: [] }), 400, 'invalid_email', 'to: at least one recipient is required.'],
  [
    'html',
    () => post({ ...EMAIL, html: '<p>Paid.</p>' }),
    400,
    'invalid_input',
    'Unknown field "html". The HTML body is the field "message".',
  ],
  [
    'replyTo',
    () => post({ ...EMAIL, replyTo: ['help@mistakes.test'] }),
    400,
    'invalid_input',
    'Unknown field "replyTo". Did you mean "reply_to"?',
  ],
  [
    'attachment',
    () => post({ ...EMAIL, attachment: [] }),
    400,
    'invalid_input',
    'Unknown field "attachment". Files are in the field "attachments".',
  ],
  [
    'JSON that ends too early',
    () => post('{"from":'),
    400,
    'invalid_json',
    'The body is not valid JSON: a value is expected at line 1, column 9.',
  ],
  [
    'a comma after the last field',
    () => post('{\n  "subject": "Receipt",\n}'),
    400,
    'invalid_json',
    'The body is not valid JSON: a field name in double quotes is expected at line 3, column 1.',
  ],
  ['no body', () => post(''), 400, 'invalid_input', 'The body must be a JSON object.'],
  [
    'another content type',
    () => post('from=a', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
    'unsupported_media_type',
    'Content-Type must be application/json.',
  ],
  [
    'a malformed recipient',
    () => post({ ...EMAIL, to: ['dev@@ux.test'] }),
    400,
    'invalid_email',
    'to[0]: malformed address "dev@@ux.test": it has more than one "@".',
  ],
  [
    'a malformed sender',
    () => post({ ...EMAIL, from: 'orders' }),
    400,
    'invalid_email',
    'from: malformed address "orders": it has no "@".',
  ],
  [
    'a recipient who is not verified',
    () => sandbox.send(EMAIL),
    400,
    'recipient_not_verified',
    `ada@customers.test is not a verified sandbox recipient of this service. Verify the address in the dashboard (${publicUrl()}/dashboard/services/${sandbox.serviceId}/recipients), or verify a sending domain to send to anyone.`,
  ],
  [
    '51 recipients',
    () => post({ ...EMAIL, to: many(51) }),
    400,
    'invalid_email',
    'to: at most 50 recipients are allowed across to, cc and bcc, got 51.',
  ],
  [
    'a header that is not X-…',
    () => post({ ...EMAIL, headers: { 'List-Unsubscribe': '<https://x.test>' } }),
    400,
    'invalid_email',
    'headers.List-Unsubscribe: this header cannot be set; only headers named X-… can.',
  ],
  [
    'a header that is a number',
    () => post({ ...EMAIL, headers: { 'X-Order': 1 } }),
    400,
    'invalid_input',
    'headers.X-Order must be a string.',
  ],
  ['an id that is no UUID', () => get('/emails/42'), 400, 'invalid_input', 'id must be a UUID.'],
  ['an unknown id', () => get(`/emails/${UNKNOWN_ID}`), 404, 'email_not_found', 'There is no email with this id.'],
  ['a list of emails', () => get('/emails'), 405, 'method_not_allowed', 'Method not allowed. Use POST.'],
  [
    'another method',
    () => world.call('PUT', '/emails', { body: EMAIL }),
    405,
    'method_not_allowed',
    'Method not allowed. Use POST.',
  ],
  [
    'another path',
    () => world.call('POST', '/v1/emails', { body: EMAIL }),
    404,
    'route_not_found',
    'Not found: no route POST /v1/emails. To send an email, use POST /emails.',
  ],
  [
    'an Idempotency-Key of 256 characters',
    () => post(EMAIL, { 'idempotency-key': 'k'.repeat(256) }),
    400,
    'invalid_input',
    'Idempotency-Key must have 1 to 255 characters.',
  ],
  [
    'an Idempotency-Key for another body',
    async () => {
      await post(EMAIL, { 'idempotency-key': 'mistaken' });
      return post({ ...EMAIL, subject: 'Another' }, { 'idempotency-key': 'mistaken' });
    },
    409,
    'idempotency_key_reused',
    'This Idempotency-Key was already used with a different body.',
  ],
];

describe('an invalid call of the email API is answered with its status, code and message', () => {
  it.each(MISTAKES)('%s', async (_, call, status, code, message) =>
    expect(await answerOf(call)).toEqual([status, code, { error: message }]),
  );

  it('a reached limit has a time for the retry', async () => {
    await world.dashboard.patch(`${sandbox.path}/limits`, { sandbox_daily: 1 });
    const email = { ...EMAIL, to: ['ada@customers.test'] };
    await sandbox.verifyRecipient('ada@customers.test');
    await sandbox.send(email);
    const answer = await sandbox.send(email);

    expect([answer.status, answer.headers.get('error-code'), answer.body]).toEqual([
      429,
      'daily_limit_reached',
      { error: expect.stringMatching(DAILY_LIMIT) },
    ]);
  });
});

const DAILY_LIMIT =
  /^The daily limit of 1 messages is reached\. Try again in \d+ (second|minute|hour)s?, at \d{4}-\d\d-\d\d 00:00:0\d UTC\.$/;

function publicUrl(): string {
  return world.postern.baseUrl;
}
