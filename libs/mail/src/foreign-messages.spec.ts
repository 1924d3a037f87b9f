/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { readSubmittedMessage } from './submitted-message.js';
import { header, latin1, received, utf8 } from './testing/received-copy.js';

describe('a message of another mail program', () => {
  it.each([
    ['UTF-8', utf8],
    ['Latin-1', latin1],
  ])('keeps the type, the disposition and the raw %s name of an attached file', async (_, message) => {
    const { raw, attachments, dkim } = await received(
      message(
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'hi',
        '--b',
        'Content-Type: application/pdf; name="Rechnung März.pdf"',
        'Content-Disposition: attachment; filename="Rechnung März.pdf"',
        'Content-Transfer-Encoding: base64',
        '',
        'JVBERi0xLjQK',
        '--b--',
      ),
    );
    expect(attachments).toMatchObject([
      { filename: 'Rechnung März.pdf', mimeType: 'application/pdf', disposition: 'attachment' },
    ]);
    expect(attachments[0]!.content.toString()).toBe('%PDF-1.4\n');
    expect(raw).toMatch(/^[\x01-\x7f]*$/);
    expect(dkim).toBe('pass');
  });

  it('keeps a raw name without quotes, and a long one', async () => {
    const long = `${'Überweisung '.repeat(30)}.pdf`;
    const file = (name: string) =>
      utf8('Content-Type: application/pdf', `Content-Disposition: attachment; filename=${name}`, '', 'x');
    expect((await received(file('Rechnung März 5.pdf'))).attachments[0]!.filename).toBe('Rechnung März 5.pdf');
    const { raw, attachments } = await received(file(`"${long}"`));
    expect(attachments[0]!.filename).toBe(long);
    expect(Math.max(...raw.split('\r\n').map(line => line.length))).toBeLessThan(100);
  });

  it.each([
    ['Latin-1 without a charset', ['Content-Type: text/plain'], 'Grüße', /^text\/plain$/],
    ['one byte that is not UTF-8', ['Content-Type: text/plain; charset=utf-8'], 'Gr\xfc\xdfe', /charset=utf-8/],
    ['an unknown charset', ['Content-Type: text/plain; charset=cp850'], 'Gr\x81\xe1e', /charset=cp850/],
    ['a wrong charset', ['Content-Type: text/plain; charset=utf8mb4'], 'Gr\xfc\xdfe', /charset=utf8mb4/],
    ['HTML in an unknown charset', ['Content-Type: text/html; charset=x-unknown'], '<p>\x81</p>', /charset=x-unknown/],
  ])('passes text that cannot be decoded unchanged: %s', async (_, head, text, type) => {
    const { raw } = await received(latin1(...head, '', text));
    expect(header(raw, 'Content-Type')).toMatch(type);
    expect(
      Buffer.from(raw.slice(raw.indexOf('\r\n\r\n')), 'base64')
        .toString('latin1')
        .trim(),
    ).toBe(text);
  });

  it.each([
    ['without MIME headers', Buffer.from('From: a@example.com\nSubject: t\n\nHällo\n')],
    ['without a charset', utf8('Content-Type: text/plain', '', 'Hällo')],
  ])('names the charset of UTF-8 text %s', async (_, message) => {
    const { raw, parsed } = await received(message);
    expect(header(raw, 'Content-Type')).toMatch(/^text\/plain; charset=utf-8$/);
    expect(parsed.text?.trim()).toBe('Hällo');
  });

  it('encodes the text of an attached message part by part', async () => {
    const inner = ['From: a@b.test', 'Subject: Größe', 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8'];
    const { raw, attachments } = await received(
      utf8(
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'hi',
        '--b',
        'Content-Type: message/rfc822',
        'Content-Disposition: attachment; filename="a.eml"',
        'Content-Transfer-Encoding: 8bit',
        '',
        ...inner,
        'Content-Transfer-Encoding: 8bit',
        '',
        'Grüße',
        '--b--',
      ),
    );
    expect(raw).toMatch(/^[\x01-\x7f]*$/);
    expect(attachments).toMatchObject([{ filename: 'a.eml', mimeType: 'message/rfc822' }]);
    const attached = await PostalMime.parse(attachments[0]!.content);
    expect(attached).toMatchObject({ subject: 'Größe', text: expect.stringContaining('Grüße') });
  });

  it('with HTML in another charset is sent in UTF-8 as a whole', async () => {
    const html = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"></head><body>';
    const message = latin1('Content-Type: text/html; charset=Shift_JIS', '', `${html}\x83e\x83X\x83g</body></html>`);
    const read = readSubmittedMessage(message).html!;
    expect(read).toContain('テスト');
    const { raw, parsed } = await received(message, read);
    expect(header(raw, 'Content-Type')).toBe('text/html; charset=utf-8');
    expect(parsed.html).toMatch(/charset=utf-8"><\/head><body>テスト/);
  });

  it('with HTML whose charset only its meta element names is read in it', () => {
    const html = '<html><head><meta charset="iso-2022-jp"></head><body>\x1b$B%F%9%H\x1b(B</body></html>';
    expect(readSubmittedMessage(latin1('Content-Type: text/html', '', html)).html).toContain('テスト');
  });

  it('has no tracking in an HTML file, whose name it keeps', async () => {
    const message = utf8(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'hi',
      '--b',
      'Content-Type: text/html; charset=utf-8; name="report.html"',
      'Content-Disposition: inline; filename="report.html"',
      '',
      '<p>report</p>',
      '--b--',
    );
    expect(readSubmittedMessage(message)).toMatchObject({ html: undefined, text: 'hi' });
    expect((await received(message)).raw).toContain('name="report.html"\r\nContent-Disposition: inline;');
  });

  it('with parts that share a boundary passes byte by byte', async () => {
    const body = [
      '--b',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'hello',
      '--b',
      'Content-Type: text/html',
      '',
      '<p>hello</p>',
      '--b--',
      '--b--',
    ];
    const { raw } = await received(utf8('Content-Type: multipart/mixed; boundary=b', '', 'preamble', ...body));
    expect(raw.slice(raw.indexOf('\r\n\r\n') + 4)).toBe(`preamble\r\n${body.join('\r\n')}\r\n`);
  });

  it('without text is valid', () => {
    for (const body of ['', '\n\n']) expect(readSubmittedMessage(utf8('', body)).text).toBeUndefined();
  });

  it('with an 8-bit byte after a delimiter is passed on in 7 bits', async () => {
    const lines = [
      'Content-Type: multipart/mixed; boundary="b"',
      '',
      'preamble',
      '--b\x80',
      '',
      'x',
      '--b',
      '',
      'hello',
      '--b--',
    ];
    const { raw, dkim, parsed } = await received(latin1(...lines));
    expect(raw).toMatch(/^[\x01-\x7f]*$/);
    expect(parsed.text?.trim()).toBe('hello');
    expect(dkim).toBe('pass');
  });

  it('with one 8-bit byte anywhere is passed on in 7 bits, with its files', async () => {
    const base = utf8(
      'X-Order: 1',
      'Content-Type: multipart/mixed; boundary="b"',
      '',
      'preamble',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'hello',
      '--b',
      'Content-Type: application/pdf; name="bill.pdf"',
      'Content-Disposition: attachment; filename="bill.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      'JVBERi0xLjQK',
      '--b--',
      'epilogue',
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(base.length), fc.integer({ min: 0x80, max: 0xff }), async (at, byte) => {
        const message = Buffer.concat([base.subarray(0, at), Buffer.from([byte]), base.subarray(at)]);
        const { raw, dkim, parsed } = await received(message);
        expect(raw).toMatch(/^[\x01-\x7f]*$/);
        expect(dkim).toBe('pass');
        // The byte may make another token of a boundary, a type or a name; otherwise both parts arrive.
        const isInStructure = /boundary|--b|multipart|Content-Type|^$/.test(lineAt(base, at));
        if (!isInStructure) expect(parsed.text?.length).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });
});

const lineAt = (bytes: Buffer, at: number): string => {
  const text = bytes.toString('latin1');
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return text.slice(start, end < 0 ? undefined : end);
};
