import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ProviderCredentials, ProviderKind } from '@postern/contracts';
import { HttpsSnsDocuments } from './https-sns-documents.js';
import { Providers } from './providers.js';
import { Ses } from './ses.js';
import { SnsMessages } from './sns-message.js';

const COPY_ID = '0198c9f0-0000-7000-8000-000000000004.0.abcdefghijklmnopqrstuvwx';
const MESSAGE_ID = '0198c9f0-0000-7000-8000-000000000004.abcdefghijklmnopqrstuvwx@shop.example';
const nowS = () => Math.floor(Date.now() / 1_000);

const providers = new Providers(new Ses(new SnsMessages(new HttpsSnsDocuments())));

const call = async (
  kind: ProviderKind,
  body: unknown,
  credentials: ProviderCredentials = {},
  headers: Record<string, string> = {},
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return providers.providerOf(kind).read({ headers, body: Buffer.from(text) }, credentials);
};
const refusedWith = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('Mailgun', () => {
  const signing_key = 'key-0123456789';
  const signed = (event: object | undefined, timestamp = String(nowS()), secret = signing_key) => {
    const token = 'c0ffee'.repeat(8);
    const signature = createHmac('sha256', secret)
      .update(timestamp + token)
      .digest('hex');
    return { signature: { timestamp, token, signature }, 'event-data': event };
  };
  const event = (change: object) => ({
    id: 'CPgfbmQMTCKtHW6uIWtuVe',
    timestamp: 1_738_058_400.123,
    recipient: 'ada@x.test',
    message: { headers: { to: 'ada@x.test', 'message-id': MESSAGE_ID, subject: 'Your receipt' }, attachments: [] },
    ...change,
  });
  const read = async (change: object) => (await call('mailgun', signed(event(change)), { signing_key })).events;
  const expected = { copy_ids: [], message_id: MESSAGE_ID, recipient: 'ada@x.test' };

  it('reports what happened to a message', async () => {
    const status = { code: 250, message: 'OK', 'enhanced-code': '2.0.0', 'mx-host': 'mx.x.test' };
    expect(await read({ event: 'delivered', 'delivery-status': status })).toEqual([
      { ...expected, kind: 'delivered', at: '2025-01-28T10:00:00.123Z', status: '2.0.0', response: '250 OK' },
    ]);
    const unknown = { code: 550, message: '5.1.1 no such user', 'enhanced-code': '5.1.1' };
    const failed = { event: 'failed', 'delivery-status': unknown, reason: 'bounce' };
    expect(await read({ ...failed, severity: 'permanent' })).toMatchObject([
      { ...expected, kind: 'bounced', status: '5.1.1', response: '550 5.1.1 no such user' },
    ]);
    expect(await read({ ...failed, severity: 'temporary' })).toMatchObject([{ ...expected, kind: 'delayed' }]);
    expect(await read({ event: 'complained' })).toMatchObject([{ ...expected, kind: 'complained' }]);
    const suppressed = { code: 605, message: '', description: 'Not delivering to previously bounced address' };
    expect(
      await read({ ...failed, severity: 'permanent', reason: 'suppress-bounce', 'delivery-status': suppressed }),
    ).toMatchObject([
      { kind: 'bounced', bounce_type: 'hard', response: 'Not delivering to previously bounced address' },
    ]);
    expect(await read({ event: 'opened' })).toEqual([]);
  });

  it.each<[string, unknown, string, RegExp]>([
    ['no signature', { 'event-data': {} }, 'invalid_signature', /no signature/],
    ['a list', [], 'invalid_signature', /no signature/],
    ['another key', signed(event({ event: 'delivered' }), undefined, 'other'), 'invalid_signature', /does not match/],
    ['an old time', signed(event({}), String(nowS() - 86_400)), 'invalid_signature', /last 12 hours/],
    ['a time to come', signed(event({}), String(nowS() + 3_600)), 'invalid_signature', /last 12 hours/],
    ['no time', signed(event({}), 'now'), 'invalid_signature', /last 12 hours/],
    ['no event', signed(undefined), 'invalid_event', /^event-data/],
    ['no JSON', '{', 'invalid_event', /not JSON/],
  ])('is refused with %s', async (_, body, code, message) => {
    await expect(call('mailgun', body, { signing_key })).rejects.toEqual(refusedWith(code, message));
  });
});

describe('SendGrid', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const public_key = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const headersFor = (body: string, timestamp = String(nowS()), by = keys.privateKey) => ({
    'x-twilio-email-event-webhook-timestamp': timestamp,
    'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(timestamp + body), by).toString('base64'),
  });
  const event = (change: object) => ({
    email: 'ada@x.test',
    timestamp: 1_738_058_400,
    'smtp-id': `<${MESSAGE_ID}>`,
    sg_event_id: 'ZGVsaXZlcmVk',
    sg_message_id: '14c5d75ce93.dfd.64b469.filter0001',
    ...change,
  });
  const expected = { copy_ids: [], message_id: MESSAGE_ID, recipient: 'ada@x.test', at: '2025-01-28T10:00:00.000Z' };

  it('reports what happened to messages, several in a call', async () => {
    const body = `[\n${[
      event({ event: 'processed' }),
      event({ event: 'delivered', response: '250 OK' }),
      event({ event: 'deferred', response: '400 try again later', attempt: '5' }),
      event({ event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 5.1.1 no such user' }),
      event({ event: 'dropped', reason: 'Bounced Address', status: '5.0.0' }),
      event({ event: 'dropped', reason: 'Unsubscribed Address' }),
      event({ event: 'spamreport' }),
      'no event',
    ]
      .map(each => JSON.stringify(each))
      .join(',\n')}]\n`;
    const { events, unused } = await call('sendgrid', body, { public_key }, headersFor(body));
    expect(unused).toBe(2);
    expect(events).toEqual([
      { ...expected, kind: 'delivered', response: '250 OK' },
      { ...expected, kind: 'delayed', response: '400 try again later' },
      { ...expected, kind: 'bounced', status: '5.1.1', response: '550 5.1.1 no such user' },
      {
        ...expected,
        kind: 'bounced',
        status: '5.0.0',
        response: 'Not sent by SendGrid: Bounced Address',
        bounce_type: 'hard',
      },
      { ...expected, kind: 'bounced', response: 'Not sent by SendGrid: Unsubscribed Address', bounce_type: 'soft' },
      { ...expected, kind: 'complained', source: 'abuse SendGrid' },
    ]);
  });

  it.each<[string, string, () => Record<string, string>, string, RegExp]>([
    ['no signature', '[]', () => ({}), 'invalid_signature', /signed event webhook/],
    [
      'another key',
      '[]',
      () => headersFor('[]', undefined, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
      'invalid_signature',
      /does not match/,
    ],
    ['a changed body', '[1]', () => headersFor('[]'), 'invalid_signature', /does not match/],
    ['an old time', '[]', () => headersFor('[]', String(nowS() - 86_400)), 'invalid_signature', /last 12 hours/],
    ['an object', '{}', () => headersFor('{}'), 'invalid_event', /array/],
  ])('is refused with %s', async (_, body, headers, code, message) => {
    await expect(call('sendgrid', body, { public_key }, headers())).rejects.toEqual(refusedWith(code, message));
  });
});

describe('Postmark', () => {
  const event = (change: object) => ({
    ServerID: 23,
    MessageStream: 'outbound',
    MessageID: '00000000-0000-0000-0000-000000000000',
    Tag: '',
    Metadata: { 'postern-id': COPY_ID },
    ...change,
  });
  const bounce = (change: object) =>
    event({
      RecordType: 'Bounce',
      ID: 42,
      Email: 'ada@x.test',
      BouncedAt: '2025-01-28T05:00:00.0000000-05:00',
      Details: 'smtp;550 5.1.1 The email account does not exist.',
      Description: 'The server was unable to deliver your message.',
      Inactive: true,
      ...change,
    });
  const expected = { copy_ids: [COPY_ID], recipient: 'ada@x.test', at: '2025-01-28T10:00:00.000Z' };

  it('reports what happened to a message', async () => {
    const delivery = event({
      RecordType: 'Delivery',
      Recipient: 'ada@x.test',
      DeliveredAt: '2025-01-28T10:00:00Z',
      Details: 'smtp;250 2.0.0 OK',
    });
    expect((await call('postmark', delivery)).events).toEqual([
      { ...expected, kind: 'delivered', response: 'smtp;250 2.0.0 OK' },
    ]);
    expect((await call('postmark', bounce({ Type: 'HardBounce', TypeCode: 1 }))).events).toEqual([
      { ...expected, kind: 'bounced', bounce_type: 'hard', response: expect.stringContaining('5.1.1') },
    ]);
    expect((await call('postmark', bounce({ Type: 'Blocked' }))).events).toMatchObject([{ bounce_type: 'soft' }]);
    expect((await call('postmark', bounce({ Type: 'Transient' }))).events).toMatchObject([{ kind: 'delayed' }]);
    expect(
      (await call('postmark', bounce({ RecordType: 'SpamComplaint', Type: 'SpamComplaint' }))).events,
    ).toMatchObject([{ kind: 'complained', source: 'abuse Postmark' }]);
    for (const unused of [bounce({ Type: 'AutoResponder' }), event({ RecordType: 'Open' })])
      await expect(call('postmark', unused)).resolves.toEqual({ events: [], unused: 1 });
  });

  it('is checked against the user name and password of the endpoint, if it has any', async () => {
    const credentials = { username: 'postmark', password: 'pass:wörd' };
    const basic = (text: string) => ({ authorization: `basic ${Buffer.from(text).toString('base64')}` });
    const delivery = event({ RecordType: 'Delivery', Recipient: 'ada@x.test' });
    await expect(call('postmark', delivery, credentials, basic('postmark:pass:wörd'))).resolves.toBeDefined();
    for (const headers of [{}, basic('postmark:other'), basic(''), { authorization: 'Bearer x' }])
      await expect(call('postmark', delivery, credentials, headers)).rejects.toEqual(
        refusedWith('invalid_signature', /Authorization/),
      );
    await expect(call('postmark', { hello: 1 })).rejects.toEqual(refusedWith('invalid_event', /^RecordType/));
  });
});

describe('Brevo', () => {
  const event = (change: object) => ({
    id: 26_224,
    email: 'ada@x.test',
    'message-id': `<${MESSAGE_ID}>`,
    ts: 1_738_058_400,
    ts_event: 1_738_058_400,
    'X-Mailin-custom': COPY_ID,
    subject: 'Your receipt',
    ...change,
  });
  const expected = {
    copy_ids: [COPY_ID],
    message_id: MESSAGE_ID,
    recipient: 'ada@x.test',
    at: '2025-01-28T10:00:00.000Z',
  };

  it('reports what happened to messages, singly or in a batch', async () => {
    const hard = event({ event: 'hard_bounce', reason: '550 5.1.1 no such user' });
    expect((await call('brevo', event({ event: 'delivered' }))).events).toEqual([{ ...expected, kind: 'delivered' }]);
    expect(await call('brevo', [hard, event({ event: 'soft_bounce' }), event({ event: 'unique_opened' })])).toEqual({
      events: [
        { ...expected, kind: 'bounced', response: '550 5.1.1 no such user', bounce_type: 'hard' },
        { ...expected, kind: 'bounced', bounce_type: 'soft' },
      ],
      unused: 1,
    });
    expect((await call('brevo', event({ event: 'spam' }))).events).toMatchObject([{ kind: 'complained' }]);
    expect((await call('brevo', event({ event: 'constructor' }))).events).toEqual([]);
  });

  it('is checked against the bearer token of the endpoint, if it has one', async () => {
    const delivered = event({ event: 'delivered' });
    const credentials = { bearer_token: 'secret' };
    await expect(call('brevo', delivered, credentials, { authorization: 'Bearer secret' })).resolves.toBeDefined();
    for (const headers of [{}, { authorization: 'Bearer Secret' }, { authorization: 'Basic secret' }])
      await expect(call('brevo', delivered, credentials, headers as Record<string, string>)).rejects.toEqual(
        refusedWith('invalid_signature', /Authorization/),
      );
    for (const body of [{}, null, 'text', [null]])
      await expect(call('brevo', JSON.stringify(body))).rejects.toEqual(refusedWith('invalid_event', /Brevo/));
  });
});

describe('The credentials of an endpoint', () => {
  it.each<[ProviderKind, ProviderCredentials, RegExp]>([
    ['mailgun', {}, /^signing_key: is required/],
    ['sendgrid', {}, /^public_key: is required/],
    ['sendgrid', { public_key: 'AAAA' }, /^public_key: must be the ECDSA key/],
    ['postmark', { username: 'a' }, /^password: is required/],
    ['postmark', { password: 'a' }, /^username: is required/],
    ['postmark', { username: 'a:b', password: 'a' }, /^username: must not contain a colon/],
    ['brevo', { username: 'a', password: 'b', bearer_token: 'c' }, /^bearer_token/],
  ])('of %s: %j is refused', (kind, credentials, message) => {
    expect(() => providers.providerOf(kind).credentialsOf(credentials)).toThrow(message);
  });
});
