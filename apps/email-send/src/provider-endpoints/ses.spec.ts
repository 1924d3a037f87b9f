import { randomUUID, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ProviderCredentials } from '@postern/contracts';
import { selfSignedCertificate } from '@postern/mail';
import { SnsDocuments } from './ports.js';
import { Ses } from './ses.js';
import { SnsMessages } from './sns-message.js';

const COPY_ID = '0198c9f0-0000-7000-8000-000000000004.0.abcdefghijklmnopqrstuvwx';
const MESSAGE_ID = '0198c9f0-0000-7000-8000-000000000004.abcdefghijklmnopqrstuvwx@shop.example';
const { cert, key } = selfSignedCertificate('sns.amazonaws.com');
const CERTIFICATE_URL = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem';

/** Serves the certificate, and records what is read. */
class Documents extends SnsDocuments {
  readonly read: string[] = [];
  override async get(url: URL): Promise<string> {
    this.read.push(url.href);
    if (url.pathname.includes('broken')) throw new Error('it answered 500');
    return cert;
  }
}

const documents = new Documents();
const ses = new Ses(new SnsMessages(documents));

const call = async (body: unknown, credentials: ProviderCredentials = {}) =>
  ses.read({ headers: {}, body: Buffer.from(JSON.stringify(body)) }, credentials);
const refusedWith = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('Amazon SES', () => {
  const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:postern';
  const notification = (message: unknown, change: Record<string, unknown> = {}, version: '1' | '2' = '1') => {
    const unsigned: Record<string, unknown> = {
      Type: 'Notification',
      MessageId: randomUUID(),
      TopicArn: TOPIC,
      Message: typeof message === 'string' ? message : JSON.stringify(message),
      Timestamp: new Date().toISOString(),
      SignatureVersion: version,
      SigningCertURL: CERTIFICATE_URL,
      ...change,
    };
    const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    const text = names
      .filter(name => unsigned[name] !== undefined)
      .map(name => `${name}\n${String(unsigned[name])}\n`)
      .join('');
    const Signature = sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(text), key).toString('base64');
    return { Signature, ...unsigned, ...('Signature' in change ? { Signature: change['Signature'] } : {}) };
  };
  const mail = {
    timestamp: '2025-01-28T10:00:00.000Z',
    messageId: '0107019a-bcde-4711-8c1d-000000000000-000000',
    destination: ['ada@x.test'],
    headersTruncated: false,
    headers: [
      { name: 'From', value: 'Shop <orders@shop.example>' },
      { name: 'X-Postern-Id', value: COPY_ID },
      { name: 'Message-ID', value: `<${MESSAGE_ID}>` },
    ],
    commonHeaders: { messageId: '0107019a-bcde-4711', subject: 'Your receipt' },
  };
  const named = { copy_ids: [COPY_ID], message_id: MESSAGE_ID };

  it.each(['1', '2'] as const)('reports a delivery, with a signature of version %s', async version => {
    const delivery = {
      timestamp: '2025-01-28T10:00:03.000Z',
      processingTimeMillis: 2_951,
      recipients: ['ada@x.test'],
      smtpResponse: '250 2.6.0 Message received',
      remoteMtaIp: '192.0.2.1',
    };
    const { events } = await call(notification({ eventType: 'Delivery', mail, delivery }, {}, version));
    expect(events).toEqual([
      {
        ...named,
        kind: 'delivered',
        at: '2025-01-28T10:00:03.000Z',
        recipient: 'ada@x.test',
        response: '250 2.6.0 Message received',
      },
    ]);
  });

  it('reports bounces, delays and complaints of identities and of configuration sets', async () => {
    const recipient = {
      emailAddress: 'ada@x.test',
      action: 'failed',
      status: '5.1.1',
      diagnosticCode: 'smtp; 550 5.1.1 user unknown',
    };
    const timestamp = '2025-01-28T10:00:03.000Z';
    const bounce = { bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients: [recipient], timestamp };
    const expected = { ...named, at: timestamp, recipient: 'ada@x.test' };
    const reply = { status: '5.1.1', response: 'smtp; 550 5.1.1 user unknown' };
    expect((await call(notification({ notificationType: 'Bounce', mail, bounce }))).events).toEqual([
      { ...expected, ...reply, kind: 'bounced', bounce_type: 'hard' },
    ]);
    const bare = { ...bounce, bounceType: 'Transient', bouncedRecipients: [{ emailAddress: 'ada@x.test' }] };
    expect((await call(notification({ eventType: 'Bounce', mail, bounce: bare }))).events).toEqual([
      { ...expected, kind: 'bounced', bounce_type: 'soft', response: 'SES Transient General' },
    ]);
    const deliveryDelay = { delayType: 'MailboxFull', delayedRecipients: [recipient], timestamp };
    expect((await call(notification({ eventType: 'DeliveryDelay', mail, deliveryDelay }))).events).toEqual([
      { ...expected, ...reply, kind: 'delayed' },
    ]);
    const complaint = {
      complainedRecipients: [{ emailAddress: 'ada@x.test' }],
      complaintFeedbackType: 'abuse',
      userAgent: 'AnyCompany Feedback Loop (V0.01)',
      timestamp,
    };
    expect((await call(notification({ eventType: 'Complaint', mail, complaint }))).events).toEqual([
      { ...expected, kind: 'complained', source: 'abuse AnyCompany Feedback Loop (V0.01)' },
    ]);
    const listed = { ...complaint, complaintSubType: 'OnAccountSuppressionList' };
    expect((await call(notification({ eventType: 'Complaint', mail, complaint: listed }))).events).toMatchObject([
      { kind: 'bounced', bounce_type: 'soft', response: expect.stringContaining('suppression list') },
    ]);
  });

  it.each([
    ['a sentence that tests the topic', 'Successfully validated SNS topic for Amazon SES event publishing.'],
    ['an open', { eventType: 'Open', mail, open: { ipAddress: '192.0.2.1' } }],
    ['null', 'null'],
    ['a bounce without recipients', { eventType: 'Bounce', mail, bounce: { bouncedRecipients: 'ada@x.test' } }],
  ])('ignores %s', async (_, message) => {
    await expect(call(notification(message))).resolves.toEqual({ events: [], unused: 1 });
  });

  it('confirms the subscription of its topic at a host of SNS, and remembers the topic', async () => {
    const SubscribeURL = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f';
    const confirmation = notification('You have chosen to subscribe.', {
      Type: 'SubscriptionConfirmation',
      Token: '2336412f',
      SubscribeURL,
    });
    await expect(call(confirmation)).resolves.toEqual({ events: [], unused: 0, topicArn: TOPIC });
    expect(documents.read).toContain(SubscribeURL);
  });

  it.each([
    'https://evil.test/',
    'http://sns.eu-central-1.amazonaws.com/',
    'https://sns.eu-central-1.amazonaws.com.evil.test/',
    'https://sns.eu-central-1.amazonaws.com@evil.test/',
    'https://sns.eu-central-1.amazonaws.com:8443/',
    'https://s3.eu-central-1.amazonaws.com/',
    'https://169.254.169.254/',
  ])('confirms nothing and reads nothing at %s', async url => {
    const before = documents.read.filter(read => read !== CERTIFICATE_URL).length;
    const change = { Type: 'SubscriptionConfirmation', Token: 'x', SubscribeURL: url };
    const host = /must be an https URL at sns\.<region>\.amazonaws\.com/;
    await expect(call(notification('x', change))).rejects.toEqual(refusedWith('invalid_signature', host));
    const certificate = notification('x', { SigningCertURL: `${url}a.pem` });
    await expect(call(certificate)).rejects.toEqual(refusedWith('invalid_signature', host));
    expect(documents.read.filter(read => read !== CERTIFICATE_URL)).toHaveLength(before);
  });

  it.each<[string, () => unknown, string, RegExp]>([
    ['another signature', () => notification('x', { Signature: 'AAAA' }), 'invalid_signature', /^Signature/],
    ['no signature', () => notification('x', { Signature: undefined }), 'invalid_signature', /^Signature/],
    ['a changed message', () => ({ ...notification('x'), Message: 'y' }), 'invalid_signature', /^Signature/],
    ['an unknown version', () => notification('x', { SignatureVersion: '3' }), 'invalid_signature', /SignatureVersion/],
    [
      'an old time',
      () => notification('x', { Timestamp: new Date(Date.now() - 86_400_000).toISOString() }),
      'invalid_signature',
      /^Timestamp/,
    ],
    ['no time', () => notification('x', { Timestamp: undefined }), 'invalid_signature', /^Timestamp/],
    ['the raw message', () => ({ eventType: 'Delivery', mail }), 'invalid_event', /raw message delivery/],
    ['a list', () => [], 'invalid_event', /SNS/],
    [
      'a certificate that cannot be read',
      () => notification('x', { SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/broken.pem' }),
      'provider_unavailable',
      /answered 500/,
    ],
  ])('refuses %s', async (_, body, code, message) => {
    await expect(call(body())).rejects.toEqual(refusedWith(code, message));
  });

  it('refuses another topic than that of the endpoint', async () => {
    const topic_arn = 'arn:aws:sns:eu-central-1:999999999999:other';
    const refused = refusedWith('invalid_signature', /^TopicArn: the endpoint belongs to the topic/);
    await expect(call(notification('x'), { topic_arn })).rejects.toEqual(refused);
  });
});
