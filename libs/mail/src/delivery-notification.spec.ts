import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concerns, type InboundMail, readInboundMail } from './delivery-notification.js';
import { complaint, notification } from './testing/reports.js';

describe('a delivery notification', () => {
  it('tells what became of each recipient', () => {
    expect(read(notification)).toEqual({
      kind: 'delivery_notification',
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

  it('names an internationalised recipient', () => {
    const text = notification.replace('Final-Recipient: rfc822; bob@', 'Final-Recipient: utf-8; b\\x{F6}b@');
    const mail = read(text);
    expect(mail.kind === 'delivery_notification' && concerns(mail.perRecipient[1]!, 'BÖB@example.org')).toBe(true);
  });

  it('concerns whom it names, in either field and any case, and nobody else', () => {
    const mail = read(notification);
    if (mail.kind !== 'delivery_notification') throw new Error('not read');
    const [, bob] = mail.perRecipient;
    const named = ['Bob@Example.org', 'bob+x@example.org', 'bob+2Bx@example.org', 'ada@example.org', 'bob@example.com'];
    expect(named.map(address => concerns(bob!, address))).toEqual([true, true, true, false, false]);
  });

  it.each<[string, (text: string) => string]>([
    ['a recipient without an action', text => text.replace('Action: failed\nStatus', 'Status')],
    ['an unknown action', text => text.replace('Action: failed\nStatus', 'Action: exploded\nStatus')],
    [
      'two recipients in one block',
      text =>
        text.replace('Action: failed\nStatus', 'Final-Recipient: rfc822; eve@example.org\nAction: failed\nStatus'),
    ],
    ['an address that is no mail address', text => text.replace(/rfc822; ?bob\S+/g, 'x400; /C=de/')],
  ])('says nothing of %s', (_, alter) => {
    expect(outcomes(read(alter(notification)))).toEqual(['ada@example.org relayed']);
  });

  it('gets no status invented', () => {
    const mail = read(notification.replace('Status: 5.1.1', 'Status: five'));
    expect(mail.kind === 'delivery_notification' && mail.perRecipient[1]).not.toHaveProperty('status');
  });

  it('never blames somebody else when it is cut off anywhere', () => {
    for (let end = 0; end <= notification.length; end++) {
      for (const outcome of outcomes(read(notification.slice(0, end)))) {
        expect(['ada@example.org relayed', 'bob@example.org failed']).toContain(outcome);
      }
    }
  });

  it('takes nothing from the part meant for people, even when bytes are missing', () => {
    const at = fc.nat(notification.length);
    fc.assert(
      fc.property(at, at, (one, two) => {
        const cut = notification.slice(0, Math.min(one, two)) + notification.slice(Math.max(one, two));
        const failed = outcomes(read(cut)).filter(outcome => outcome.endsWith('failed'));
        expect(failed.filter(outcome => outcome.startsWith('text@'))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('is looked at only up to a bound', () => {
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

describe('a feedback report', () => {
  it('has one author, or none that can be relied on', () => {
    const authorOf = (from: string) => {
      const mail = read(`${from}${complaint.replace(/^From:.*\r?\n/im, '')}`);
      return mail.kind === 'feedback_report' ? mail.from : 'no report';
    };
    expect(authorOf('From: Feedback <Loop@Arf.Example.COM>\n')).toBe('loop@arf.example.com');
    expect(authorOf('From: loop@example.com\nFrom: eve@example.com\n')).toBeUndefined();
    expect(authorOf('From: loop@example.com, eve@example.com\n')).toBeUndefined();
    expect(authorOf('From: "loop@example.com" <eve@evil.test>\n')).toBe('eve@evil.test');
    expect(authorOf('')).toBeUndefined();
  });

  it('tells who complained, of which message', () => {
    expect(read(complaint)).toEqual({
      kind: 'feedback_report',
      from: 'fbl@example.net',
      feedbackType: 'abuse',
      userAgent: 'SomeGenerator/1.0',
      sourceIp: '192.0.2.1',
      originalMailFrom: 'b+token@bounce.example.com',
      originalRecipients: ['ada@example.org', 'bob@example.org'],
      reported: { messageId: '0198c0de@mail.example.com' },
    });
  });

  it('never names a half-read address when it is cut off anywhere', () => {
    for (let end = 0; end <= complaint.length; end++) {
      const mail = read(complaint.slice(0, end));
      if (mail.kind !== 'feedback_report') continue;
      for (const address of mail.originalRecipients) expect(['ada@example.org', 'bob@example.org']).toContain(address);
      expect(['b+token@bounce.example.com', undefined]).toContain(mail.originalMailFrom);
      expect(['192.0.2.1', undefined]).toContain(mail.sourceIp);
      expect(['0198c0de@mail.example.com', undefined]).toContain(mail.reported.messageId);
    }
  });

  it('has no source where the address is none', () => {
    expect(read(complaint.replace('192.0.2.1', 'elsewhere'))).not.toHaveProperty('sourceIp');
  });
});

describe('other mail', () => {
  it.each([
    ['an out-of-office note', 'Auto-Submitted: auto-replied', 'auto_reply'],
    ['an older out-of-office note', 'Precedence: auto_reply', 'auto_reply'],
    ['a newsletter', 'Precedence: bulk', 'bulk'],
    ['mail in a loop', 'X-Loop: a@example.com', 'mail_loop'],
    ['mail that went round too often', 'Received: x\n'.repeat(51).trim(), 'mail_loop'],
    ['a letter', 'Auto-Submitted: no', 'no_report'],
    ['a report without a report', 'Content-Type: multipart/report; boundary=x', 'unreadable_report'],
    ['a report without a boundary', 'Content-Type: multipart/report', 'unreadable_report'],
    ['nothing', '', 'no_report'],
  ])('is told apart: %s', (_, header, why) => {
    expect(read(`${header}\n\nFinal-Recipient: rfc822; a@b.io\nAction: failed\n\n`)).toEqual({ kind: 'other', why });
  });

  it('is read without fail, whatever its bytes', () => {
    const scrap = fc.oneof(
      fc.constantFrom(
        '\n',
        '\n\n',
        '--bb\n',
        '--bb--\n',
        'Content-Type: multipart/report; boundary=bb\n',
        'Content-Type: message/delivery-status\n',
      ),
      fc.constantFrom('Action: failed\n', 'Final-Recipient: rfc822; a@b.io\n', ' folded\n', ':', '=', '\0', '\u00ff'),
      fc.string({ maxLength: 10 }),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 500 }),
          fc.array(scrap).map(parts => Buffer.from(parts.join(''))),
        ),
        bytes => {
          expect(['delivery_notification', 'feedback_report', 'other']).toContain(readInboundMail(bytes).kind);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['line breaks', '\n'.repeat(1_000_000)],
    [
      'blanks',
      `Content-Type: multipart/report; boundary=bb\n\n--bb\nContent-Type: message/delivery-status\n\n${' '.repeat(1_000_000)}\n--bb--`,
    ],
    ['boundaries', `Content-Type: multipart/report; boundary=bb\n\n${'--bb\n'.repeat(200_000)}`],
    ['near boundaries', `Content-Type: multipart/report; boundary=bb\n\n${'\n--bbx'.repeat(160_000)}`],
    ['folded lines', `Subject: x\n${' y\n'.repeat(330_000)}`],
    ['parameters', `Content-Type: multipart/report${'; a="'.repeat(200_000)}\n\n`],
    ['semicolons', `Content-Type: multipart/report;${' ;'.repeat(400_000)}\n\n`],
  ])('is read in bounded time with many %s', (_, text) => {
    const started = performance.now();
    read(text);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

function read(text: string): InboundMail {
  return readInboundMail(Buffer.from(text));
}

function outcomes(mail: InboundMail): string[] {
  if (mail.kind !== 'delivery_notification') return [];
  return mail.perRecipient.map(({ finalRecipient, action }) => `${finalRecipient?.address} ${action}`);
}
