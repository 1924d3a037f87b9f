import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { InboundMail } from './inbound-mail.js';
import { readInboundMail } from './read-inbound-mail.js';

describe('other mail', () => {
  it.each([
    ['an out-of-office note', 'Auto-Submitted: auto-replied', 'auto_reply'],
    ['an older out-of-office note', 'Precedence: auto_reply', 'auto_reply'],
    ['a newsletter', 'Precedence: bulk', 'bulk'],
    ['mail in a loop', 'X-Loop: a@example.com', 'mail_loop'],
    ['mail that went round too often', 'Received: x\n'.repeat(51).trim(), 'mail_loop'],
    ['a letter', 'Auto-Submitted: no', 'no_report'],
    ['a report without a report', 'Content-Type: multipart/report; boundary=x', 'no_report'],
    ['nothing', '', 'no_report'],
  ])('is classified: %s', (_, header, why) => {
    expect(read(`Subject: Hello\n${header}\n\nSee you at the sea\x07side.\n`.replace(/\n\n\n/, '\n\n'))).toEqual({
      kind: 'other',
      why,
      text: 'Hello: See you at the sea side.',
    });
  });

  it('is read without an exception for any bytes', () => {
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
    ['addresses', `Subject: failure notice\n\n${'<a@b.io>: 550 5.1.1 no\n'.repeat(40_000)}`],
    ['local parts', `Subject: failure notice\n\n${'a'.repeat(1_000_000)}@`],
    ['replies', `Subject: failure notice\n\n${'550 '.repeat(250_000)}`],
    ['open tags', `Subject: failure notice\nContent-Type: text/html\n\n${'<a '.repeat(300_000)}`],
    ['words', `Subject: failure notice\n\n${'the message to the user of the domain '.repeat(25_000)}`],
    ['dashes', `Subject: failure notice\n\n${'- '.repeat(500_000)}`],
    [
      'nested parts',
      `Content-Type: multipart/mixed; boundary=b0\n\n${Array.from({ length: 5_000 }, (_, at) => `--b${at}\nContent-Type: multipart/mixed; boundary=b${at + 1}\n\n`).join('')}`,
    ],
    ['semicolons', `Content-Type: multipart/report;${' ;'.repeat(400_000)}\n\n`],
  ])('is read in bounded time with many %s', (_, text) => {
    const before = process.cpuUsage().user;
    read(text);
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(1_000);
  });
});

function read(text: string): InboundMail {
  return readInboundMail(Buffer.from(text));
}
