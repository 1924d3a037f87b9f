import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect } from '@jest/globals';
import { buildPrograms, carryOut, LANGUAGES, testsOf } from './languages.js';

const SECRET = 'whsec_c2VjcmV0IG9mIHRoaXMgc3BlY2lmaWNhdGlvbg==';
const NOW = Date.parse('2030-01-02T03:04:05Z') / 1_000;
const BODY = JSON.stringify({ event: 'delivered', subject: 'Grüße ✓', data: { smtp_response: '250 OK' } });
const signed = (secret = SECRET, timestamp = String(NOW), body = BODY) => ({
  'x-service-timestamp': timestamp,
  'X-Service-Signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
});
const verify = (changes: Readonly<Record<string, unknown>> = {}) => ({
  call: 'verify',
  body: BODY,
  headers: signed(),
  secrets: [SECRET],
  now: NOW,
  ...changes,
});

beforeAll(buildPrograms, 300_000);

describe.each(LANGUAGES.map(language => [language.name, language] as const))('the library in %s', (_, language) => {
  const test = testsOf(language);

  test.each([
    ['signed with the secret', verify()],
    ['signed with one of several secrets', verify({ secrets: ['whsec_next', SECRET] })],
    ['signed 300 seconds ago', verify({ now: NOW + 300 })],
    ['signed 300 seconds ahead', verify({ now: NOW - 300 })],
  ])('accepts the call of a webhook that is %s', async (_what, call) => {
    expect(await carryOut(language, call)).toMatchObject({ reply: { event: 'delivered', subject: 'Grüße ✓' } });
  });

  test.each([
    ['without headers', verify({ headers: { 'content-type': 'text/plain' } }), 'missing_headers'],
    ['signed 301 seconds ago', verify({ now: NOW + 301 }), 'timestamp_out_of_tolerance'],
    ['signed 301 seconds ahead', verify({ now: NOW - 301 }), 'timestamp_out_of_tolerance'],
    ['with a time that is no number', verify({ headers: signed(SECRET, '1e9') }), 'timestamp_out_of_tolerance'],
    ['with a sign before the time', verify({ headers: signed(SECRET, `+${NOW}`) }), 'timestamp_out_of_tolerance'],
    ['signed with another secret', verify({ secrets: ['whsec_other'] }), 'wrong_signature'],
    ['with another body', verify({ body: `${BODY} ` }), 'wrong_signature'],
    [
      'with a shortened signature',
      verify({ headers: { ...signed(), 'X-Service-Signature': signed()['X-Service-Signature'].slice(1) } }),
      'wrong_signature',
    ],
    [
      'with an upper-case signature',
      verify({ headers: { ...signed(), 'X-Service-Signature': signed()['X-Service-Signature'].toUpperCase() } }),
      'wrong_signature',
    ],
    [
      'with a signature beyond ASCII',
      verify({ headers: { ...signed(), 'X-Service-Signature': 'ü'.repeat(64) } }),
      'wrong_signature',
    ],
    ['that is no JSON', verify({ body: '{', headers: signed(SECRET, String(NOW), '{') }), 'malformed_body'],
  ])('rejects the call of a webhook %s', async (_what, call, reason) => {
    expect(await carryOut(language, call)).toEqual({ error: 'webhook', reason });
  });

  test('refuses to verify without a secret', async () => {
    expect(await carryOut(language, verify({ secrets: [''] }))).toMatchObject({ error: expect.stringMatching(/./) });
  });
});
