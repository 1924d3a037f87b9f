import { describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { messageBytes } from './compose.js';
import { parseMailbox } from './mailbox.js';
import { prepareSubmittedMessage, readSubmittedMessage } from './submitted-message.js';

const DRAFT = {
  from: parseMailbox('Ada <ada@example.com>'),
  to: [parseMailbox('grace@example.org')],
  subject: 'Grüße',
  messageId: 'id@example.com',
  date: new Date('2030-01-02T03:04:05Z'),
};

const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'), 'utf8');

const MIXED = message(
  'Received: from elsewhere',
  'DKIM-Signature: v=1',
  'Bcc: hidden@example.org',
  'From: =?UTF-8?Q?Ad=C3=A4?= <ada@example.com>',
  'To: "Hopper, Grace" <grace@example.org>, team: a@example.org, b@example.org;',
  'Subject: =?UTF-8?B?R3LDvMOfZQ==?=',
  'Message-ID: <original@app>',
  'In-Reply-To: <earlier@app>',
  'X-Order-Id: 1234',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  '--outer',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: 8bit',
  '',
  'Grüße',
  '--inner',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello</p>',
  '--inner--',
  '',
  '--outer',
  'Content-Type: application/pdf; name="bill.pdf"',
  'Content-Disposition: attachment; filename="bill.pdf"',
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERi0xLjQ=',
  '--outer--',
  '',
);

const copied = async (bytes: Buffer, html?: string) => {
  const sent = messageBytes(prepareSubmittedMessage(DRAFT, readSubmittedMessage(bytes).mime).copy(html));
  return { raw: sent.toString('latin1'), parsed: await PostalMime.parse(sent) };
};

describe('a submitted message', () => {
  it('is read according to its header and parts', () =>
    expect(readSubmittedMessage(MIXED)).toMatchObject({
      from: ['"Adä" <ada@example.com>'],
      to: ['"Hopper, Grace" <grace@example.org>', 'a@example.org', 'b@example.org'],
      subject: 'Grüße',
      keptMessageId: undefined,
      html: '<p>Hello</p>',
      text: 'Grüße',
    }));

  it('keeps its Message-ID on request', () => {
    const keptOf = (id: string) =>
      readSubmittedMessage(message('X-Postern-Keep-Message-Id: Yes', `Message-ID: ${id}`, '', 'x')).keptMessageId;
    expect(keptOf('<original@app.example>')).toBe('original@app.example');
    expect(keptOf('no id')).toBeUndefined();
  });

  it('keeps its structure and attachments, with the header of Postern and the HTML of the copy', async () => {
    const { raw, parsed } = await copied(MIXED, '<p>Hello ✓</p><img src="https://example.com/o/1.gif">');
    expect(parsed.html).toContain('<p>Hello ✓</p><img');
    expect(parsed.text?.trim()).toBe('Grüße');
    expect(parsed.attachments).toMatchObject([{ filename: 'bill.pdf', mimeType: 'application/pdf' }]);
    expect(Buffer.from(parsed.attachments[0]!.content as ArrayBuffer).toString()).toBe('%PDF-1.4');
    expect(parsed).toMatchObject({ messageId: '<id@example.com>', inReplyTo: '<earlier@app>' });
    expect(raw).not.toMatch(/hidden|Received|DKIM|original@app/);
    expect(raw.match(/^Content-Type: multipart\/mixed/gm)).toHaveLength(1);
  });

  it('is sent in 7 bits with lines of at most 998 characters', async () => {
    const long = message('Content-Type: text/html; charset=iso-8859-1', '', `<p>${'x'.repeat(3_000)}</p>`);
    for (const bytes of [MIXED, long, Buffer.from('Subject: x\n\nGr\xfc\xdfe', 'latin1')]) {
      const { raw } = await copied(bytes);
      expect(raw).toMatch(/^[\x01-\x7f]*$/);
      expect(Math.max(...raw.split('\r\n').map(line => line.length))).toBeLessThanOrEqual(998);
    }
    expect((await copied(long)).parsed.html).toContain('x'.repeat(3_000));
  });

  it.each([
    ['a single text part', message('Subject: x', '', 'Hello'), 'Hello'],
    ['bare line feeds', Buffer.from('Subject: x\nContent-Type: text/plain\n\nHello\n'), 'Hello'],
    ['an unclosed boundary', message('Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'Hello'), 'Hello'],
    [
      'a delimiter like the boundary',
      message('Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'Hello', '--bb', '--b--'),
      'Hello\n--bb',
    ],
  ])('with %s keeps its text', async (_, bytes, text) => {
    expect((await copied(bytes)).parsed.text?.trim()).toBe(text);
  });

  it('that is signed has no part that tracking changes, and passes unchanged', async () => {
    const signed = [
      '--s',
      'Content-Type: text/html',
      '',
      '<p>Hello</p>',
      '--s',
      'Content-Type: application/pgp-signature',
      '',
      'sig',
      '--s--',
    ];
    const bytes = message('Content-Type: multipart/signed; boundary=s', '', ...signed, '');
    expect(readSubmittedMessage(bytes).html).toBeUndefined();
    expect((await copied(bytes, '<p>Changed</p>')).raw).toContain(signed.join('\r\n'));
  });

  it.each([
    ['many parts', message('Content-Type: multipart/mixed; boundary=b', '', ...Array(20_000).fill('--b\r\n\r\nx'))],
    [
      'many levels',
      Buffer.from(
        Array.from({ length: 50 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`).join(
          '',
        ),
      ),
    ],
    ['a huge header', message(`X-Long: ${'x'.repeat(300_000)}`, '', 'Hello')],
  ])('with %s is refused', (_, bytes) => {
    const before = process.cpuUsage().user;
    expect(() => readSubmittedMessage(bytes)).toThrow(expect.objectContaining({ name: 'MimeError' }));
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(5_000);
  });
});
