import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { verifyWebhook, type WebhookCall } from './verify.js';

const SECRET = 'whsec_c2VjcmV0IG9mIHRoaXMgc3BlY2lmaWNhdGlvbg==';
const NOW = Date.parse('2030-01-02T03:04:05Z');
const TIMESTAMP = String(NOW / 1_000);
const BODY = JSON.stringify({ event: 'delivered', subject: 'Grüße ✓', data: { smtp_response: '250 OK' } });

const signature = (secret = SECRET, timestamp = TIMESTAMP, body = BODY) =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');

const call = (changes: Partial<WebhookCall> = {}): WebhookCall => ({
  body: BODY,
  headers: { 'x-service-timestamp': TIMESTAMP, 'x-service-signature': signature() },
  secret: SECRET,
  now: NOW,
  ...changes,
});

const signedAt = (offsetS: number) => {
  const timestamp = String(NOW / 1_000 + offsetS);
  return { 'x-service-timestamp': timestamp, 'x-service-signature': signature(SECRET, timestamp) };
};

describe('the call of a webhook', () => {
  it.each([
    ['text', BODY],
    ['bytes', new TextEncoder().encode(BODY)],
    ['a Buffer', Buffer.from(BODY)],
  ])('whose body is given as %s is verified and returned as an event', async (_, body) => {
    expect(await verifyWebhook(call({ body }))).toMatchObject({ event: 'delivered', subject: 'Grüße ✓' });
  });

  it.each([
    ['an instance of Headers', new Headers(signedAt(0))],
    ['an object with names in any case', { 'X-Service-Timestamp': TIMESTAMP, 'X-SERVICE-SIGNATURE': [signature()] }],
  ])('is verified with %s', async (_, headers) => {
    expect(await verifyWebhook(call({ headers }))).toMatchObject({ event: 'delivered' });
  });

  it('is verified with one of several secrets while the secret is changed', async () => {
    expect(await verifyWebhook(call({ secret: ['whsec_next', SECRET] }))).toMatchObject({ event: 'delivered' });
  });

  it.each([-300, 300])('signed %s seconds from now is accepted', async offsetS => {
    expect(await verifyWebhook(call({ headers: signedAt(offsetS) }))).toMatchObject({ event: 'delivered' });
  });

  it.each<[string, Partial<WebhookCall>, string]>([
    ['without headers', { headers: {} }, 'missing_headers'],
    ['signed 301 seconds ago', { headers: signedAt(-301) }, 'timestamp_out_of_tolerance'],
    ['signed 301 seconds ahead', { headers: signedAt(301) }, 'timestamp_out_of_tolerance'],
    [
      'with a timestamp that is no number',
      { headers: { ...signedAt(0), 'x-service-timestamp': '1e9' } },
      'timestamp_out_of_tolerance',
    ],
    ['signed with another secret', { secret: 'whsec_other' }, 'wrong_signature'],
    ['with another body', { body: `${BODY} ` }, 'wrong_signature'],
    [
      'with another timestamp',
      { headers: { ...signedAt(0), 'x-service-timestamp': String(NOW / 1_000 + 1) } },
      'wrong_signature',
    ],
    [
      'with a shortened signature',
      { headers: { ...signedAt(0), 'x-service-signature': signature().slice(1) } },
      'wrong_signature',
    ],
    [
      'with an upper-case signature',
      { headers: { ...signedAt(0), 'x-service-signature': signature().toUpperCase() } },
      'wrong_signature',
    ],
  ])('%s is rejected', async (_, changes, reason) => {
    await expect(verifyWebhook(call(changes))).rejects.toMatchObject({ name: 'WebhookVerificationError', reason });
  });

  it('whose body was parsed is an error of the application', async () => {
    const body = JSON.parse(BODY) as string;
    await expect(verifyWebhook(call({ body }))).rejects.toThrow('must be the raw bytes or text');
  });
});
