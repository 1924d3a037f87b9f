import { describe, expect, it } from '@jest/globals';
import { readInboundMail } from './notices/read-inbound-mail.js';
import { readSubmittedMessage } from './submitted-message.js';

/** Code that needs quadratic time for one of these runs exceeds the time limit of a test by far; other code needs milliseconds. */
const RUN_CHARACTERS = 128 * 1024;

const REPEATED = [
  ...' \t\n*-=_><"\';:,.()[]&#@5a/\\',
  ...[
    '\r\n',
    '=20',
    '=\n',
    ';a="',
    '*-',
    '> ',
    '\n--b\n',
    '<a',
    '<p ',
    '<!--',
    '&#',
    '=?',
    'a@',
    'a@b.',
    '550 ',
    '5.1.1 ',
  ],
  ...[
    'deliver',
    'deliver ',
    'message ',
    'original message',
    'user ',
    'id ',
    'to=',
    'host',
    'unrout',
    'exceed ',
    'reach-',
  ],
];
const RUNS = REPEATED.map(text => text.repeat(RUN_CHARACTERS / text.length));

const HEADER = 'From: mailer-daemon@b.test\r\nTo: c@d.test\r\n';
const REPORT = `${HEADER}Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\r\nUndelivered\r\n`;

const PLACES: readonly [string, (run: string) => string][] = [
  ['the text', run => `${HEADER}\r\nUndelivered mail ${run}x\r\n`],
  ['lines of the text', run => `${HEADER}\r\nUndelivered\r\n${run}x`],
  ['the subject', run => `${HEADER}Subject: ${run}x\r\n\r\nHello\r\n`],
  ['an address', run => `From: ${run}x\r\n\r\nHello\r\n`],
  ['a content type', run => `${HEADER}Content-Type: multipart/mixed; boundary=b; ${run}x\r\n\r\n--b\r\n\r\nHello\r\n`],
  ['a multipart body', run => `${HEADER}Content-Type: multipart/mixed; boundary=b\r\n\r\n${run}x`],
  ['HTML', run => `${HEADER}Content-Type: text/html\r\n\r\nUndelivered ${run}x\r\n`],
  [
    'quoted-printable HTML',
    run => `${HEADER}Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${run}x\r\n`,
  ],
  [
    'a delivery status',
    run =>
      `${REPORT}--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n` +
      `Final-Recipient: rfc822; ${run}x\r\nAction: failed\r\nDiagnostic-Code: smtp; 550 ${run}x\r\n\r\n--b--\r\n`,
  ],
  ['a returned message', run => `${REPORT}--b\r\nContent-Type: message/rfc822\r\n\r\n${run}x\r\n\r\n--b--\r\n`],
];

describe.each(PLACES)('a long run of one character or word in %s', (_, mailWith) => {
  it('does not delay the reader of inbound mail', () => {
    for (const run of RUNS) expect(readInboundMail(Buffer.from(mailWith(run), 'latin1')).kind).toBeDefined();
  });

  it('does not delay the reader of submitted messages', () => {
    for (const run of RUNS) readOrRefuse(mailWith(run));
  });
});

const readOrRefuse = (mail: string): void => {
  try {
    readSubmittedMessage(Buffer.from(mail, 'latin1'));
  } catch (error) {
    expect(error).toMatchObject({ name: 'MimeError' });
  }
};
