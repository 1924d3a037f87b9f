import { describe, expect, it } from '@jest/globals';
import { notification } from '../testing/reports.js';
import type { InboundMail } from './inbound-mail.js';
import { concerns, readInboundMail } from './read-inbound-mail.js';

describe('a delivery notification', () => {
  it('contains the result of each recipient', () => {
    expect(read(notification)).toMatchObject({
      kind: 'delivery_notification',
      form: 'status_fields',
      envelopeId: '0198c0de',
      reportingMta: 'mx.example.net',
      perRecipient: [
        {
          action: 'relayed',
          finalRecipient: { type: 'rfc822', address: 'ada@example.org', spellings: ['ada@example.org'] },
          originalRecipient: { type: 'rfc822', address: 'ada@example.org', spellings: ['ada@example.org'] },
          status: '2.0.0',
          diagnostic: '250 2.0.0 Ok: queued as 42',
          remoteMta: 'mail.example.org',
        },
        {
          action: 'failed',
          finalRecipient: { type: 'rfc822', address: 'bob@example.org', spellings: ['bob@example.org'] },
          originalRecipient: {
            type: 'rfc822',
            address: 'bob+2Bx@example.org',
            spellings: ['bob+2Bx@example.org', 'bob+x@example.org'],
          },
          status: '5.1.1',
          diagnostic: '550-5.1.1 <bob@example.org>: user unknown',
          remoteMta: 'mail.example.org',
        },
      ],
      reported: { messageId: '0198c0de@mail.example.com' },
    });
  });

  it.each<[string, (text: string) => string]>([
    ['LF line ends', text => text],
    ['CRLF line ends', text => text.replaceAll('\n', '\r\n')],
    ['CR line ends', text => text.replaceAll('\n', '\r')],
    ['blanks in the empty lines of the report', text => text.replace('+0000\n\nFinal', '+0000\n \t\n\nFinal')],
    ['other letter cases', text => text.replace('Action: failed\nStatus', 'ACTION: Failed (user unknown)\nSTATUS')],
    [
      'an address in angle brackets',
      text =>
        text
          .replace('rfc822; bob@', 'RFC822;<bob@')
          .replace('example.org\nOriginal-Recipient: rfc822;bob', 'example.org>\nOriginal-Recipient: rfc822;bob'),
    ],
    [
      'a quoted-printable report',
      text =>
        text
          .replace('/delivery-status\n', '/delivery-status\nContent-Transfer-Encoding: quoted-printable\n')
          .replace('bob@example.org\nOri', 'bob=40exa=\nmple.org\nOri'),
    ],
    [
      'a report claiming another charset',
      text => text.replace('/delivery-status\n', '/delivery-status; charset=utf-16\n'),
    ],
    ['the newer type of report', text => text.replace('message/delivery-status', 'message/global-delivery-status')],
    ['no report-type', text => text.replace(' report-type=delivery-status;', '')],
  ])('is read with %s', (_, alter) => {
    expect(outcomes(read(alter(notification)))).toEqual(['ada@example.org relayed', 'bob@example.org failed']);
  });

  it('is read from base64', () => {
    const start = notification.indexOf('Reporting-MTA');
    const end = notification.indexOf('\n--AB/cd.1234=_x\nContent-Type: text/rfc822');
    const encoded = Buffer.from(`${notification.slice(start, end)}\n`).toString('base64');
    const text =
      notification
        .slice(0, start)
        .replace('/delivery-status\n', '/delivery-status\nContent-Transfer-Encoding: base64\n') +
      encoded +
      notification.slice(end);
    expect(outcomes(read(text))).toEqual(['ada@example.org relayed', 'bob@example.org failed']);
  });

  it('names an internationalized recipient', () => {
    const text = notification.replace('Final-Recipient: rfc822; bob@', 'Final-Recipient: utf-8; b\\x{F6}b@');
    const mail = read(text);
    expect(mail.kind === 'delivery_notification' && concerns(mail.perRecipient[1]!, 'BÖB@example.org')).toBe(true);
  });

  it('concerns only the recipients that it names, in either field and any letter case', () => {
    const mail = read(notification);
    if (mail.kind !== 'delivery_notification') throw new Error('not read');
    const [, bob] = mail.perRecipient;
    const named = ['Bob@Example.org', 'bob+x@example.org', 'bob+2Bx@example.org', 'ada@example.org', 'bob@example.com'];
    expect(named.map(address => concerns(bob!, address))).toEqual([true, true, true, false, false]);
  });

  it.each<[string, (text: string) => string]>([
    [
      'a recipient without an action and a lasting status',
      text => text.replace('Action: failed\nStatus: 5.1.1', 'Status: 4.1.1'),
    ],
    ['an unknown action', text => text.replace('Action: failed\nStatus', 'Action: exploded\nStatus')],
    [
      'two recipients in one block',
      text =>
        text.replace('Action: failed\nStatus', 'Final-Recipient: rfc822; eve@example.org\nAction: failed\nStatus'),
    ],
    ['an address that is no mail address', text => text.replace(/rfc822; ?bob\S+/g, 'x400; /C=de/')],
  ])('contains nothing about %s', (_, alter) => {
    expect(outcomes(read(alter(notification)))).toEqual(['ada@example.org relayed']);
  });

  it('separates recipients without an empty line between them', () => {
    const text = notification.replace(/\n\n(?=(?:Original-Recipient|Final-Recipient): rfc822; ?bob)/, '\n');
    expect(text).not.toBe(notification);
    expect(outcomes(read(text))).toEqual(outcomes(read(notification)));
  });

  it('names the forwarded address that failed, if only the text contains it', () => {
    const mail = `From: Mailer-Daemon@relay.test
X-Failed-Recipients: moved@elsewhere.test
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

The following address(es) failed:

  moved@elsewhere.test
    (generated from forwarded@example.org)
    550 5.1.1 gone

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.test

Action: failed
Final-Recipient: rfc822;forwarded@example.org
Status: 5.0.0
Diagnostic-Code: smtp; 550 5.1.1 gone

--b--
`;
    expect(read(mail)).toMatchObject({
      perRecipient: [
        {
          finalRecipient: { address: 'moved@elsewhere.test' },
          originalRecipient: { address: 'forwarded@example.org' },
        },
      ],
    });
  });

  it('has no status if it contains none', () => {
    const mail = read(notification.replace('Status: 5.1.1', 'Status: five'));
    expect(mail.kind === 'delivery_notification' && mail.perRecipient[1]).not.toHaveProperty('status');
  });

  it('never names another recipient when it is truncated at any position', () => {
    for (let end = 0; end <= notification.length; end++) {
      const limits = { maxBytes: end, maxRecipients: 100 };
      for (const outcome of outcomes(readInboundMail(Buffer.from(notification), limits))) {
        expect([
          'ada@example.org relayed',
          'bob@example.org failed',
          'text@example.org failed',
          'undefined failed',
        ]).toContain(outcome);
      }
    }
  });

  it('is read only up to a limit', () => {
    const bytes = Buffer.from(notification);
    expect(readInboundMail(bytes, { maxBytes: 1_000, maxRecipients: 100 }).kind).not.toBe('feedback_report');
    const many = notification.replace(
      '+0000\n\n',
      `+0000\n\n${Array.from({ length: 500 }, (_, at) => `Final-Recipient: rfc822; r${at}@example.org\nAction: delayed\n\n`).join('')}`,
    );
    const mail = readInboundMail(Buffer.from(many), { maxBytes: 1_000_000, maxRecipients: 10 });
    expect(mail.kind === 'delivery_notification' && mail.perRecipient).toHaveLength(10);
  });
});

function read(text: string): InboundMail {
  return readInboundMail(Buffer.from(text));
}

function outcomes(mail: InboundMail): string[] {
  if (mail.kind !== 'delivery_notification') return [];
  return mail.perRecipient.map(({ finalRecipient, action }) => `${finalRecipient?.address} ${action}`);
}
