/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime, { decodeWords } from 'postal-mime';
import { messageBytes } from './compose.js';
import { DkimSigner, generateDkimKeyPair } from './dkim.js';
import { parseMailbox } from './mailbox.js';
import { prepareSubmittedMessage, readSubmittedMessage } from './submitted-message.js';

let signer: DkimSigner;
let record: string;
beforeAll(async () => {
  const pair = await generateDkimKeyPair();
  record = pair.record;
  signer = new DkimSigner({ domain: 'example.com', selector: 's1', privateKey: pair.privateKey });
});

const HEAD = ['From: Shop <orders@example.com>', 'To: grace@example.org', 'Subject: t', 'MIME-Version: 1.0'];
const utf8 = (...lines: string[]) => Buffer.from([...HEAD, ...lines, ''].join('\n'), 'utf8');
const latin1 = (...lines: string[]) => Buffer.from([...HEAD, ...lines, ''].join('\n'), 'latin1');

/** What a recipient gets: the bytes, their signature checked, and the parts. */
async function received(submitted: Buffer, html?: string) {
  const { subject, mime } = readSubmittedMessage(submitted);
  const draft = {
    from: parseMailbox('Shop <orders@example.com>'),
    to: [parseMailbox('grace@example.org')],
    subject,
    messageId: 'id@example.com',
    date: new Date('2030-01-02T03:04:05Z'),
  };
  const copy = prepareSubmittedMessage(draft, mime).copy(html);
  const bytes = messageBytes(copy, [await signer.sign(copy)]);
  const raw = bytes.toString('latin1');
  const { results } = await dkimVerify(bytes, { resolver: async () => [[record]] } as never);
  const parsed = await PostalMime.parse(bytes);
  const attachments = parsed.attachments.map(({ content, ...rest }) => ({
    ...rest,
    content: Buffer.from(content as ArrayBuffer),
  }));
  return { raw, dkim: results[0]?.status.result, parsed, attachments, subject };
}

const header = (raw: string, name: string) =>
  new RegExp(`^${name}:[ \\t]*((?:.|\\r\\n[ \\t])*)`, 'im').exec(raw.slice(0, raw.indexOf('\r\n\r\n')))?.[1];

const valueOf = (parsed: Awaited<ReturnType<typeof PostalMime.parse>>, name: string) =>
  decodeWords(parsed.headers.find(({ key }) => key === name.toLowerCase())?.value ?? '');

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

  it.each(['Organization', 'Thread-Topic', 'Comments', 'Keywords', 'X-Company'])(
    'encodes a raw 8-bit %s, so that its signature verifies',
    async name => {
      const body = [
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'x',
        '--b--',
      ];
      const { raw, dkim, parsed } = await received(utf8(`${name}: Société`, ...body));
      expect(raw).toMatch(/^[\x01-\x7f]*$/);
      expect(valueOf(parsed, name)).toBe('Société');
      expect(dkim).toBe('pass');
    },
  );

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

  it('keeps headers of any number, length and name, repeated ones too', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `X-MS-Exchange-H${n}: ${'value '.repeat(n)}v`);
    const { raw, dkim, parsed } = await received(
      utf8(...many, `X-Long: ${'x'.repeat(3_000)}`, 'X-Mailer_Id: 5', 'X-Foo.Bar: 1', 'X-Tag: a', 'X-Tag: b', '', 'x'),
    );
    expect(raw.match(/^X-MS-Exchange-H\d+:/gm)).toHaveLength(60);
    expect(raw).toMatch(/^X-Mailer_Id: 5\r\nX-Foo\.Bar: 1\r\nX-Tag: a\r\nX-Tag: b\r$/m);
    expect(valueOf(parsed, 'X-Long')).toBe('x'.repeat(3_000));
    expect(Math.max(...raw.split('\r\n').map(line => line.length))).toBeLessThanOrEqual(998);
    expect(dkim).toBe('pass');
  });

  it.each([
    ['Feedback-ID', 'a:b:c:shop'],
    ['Sender', 'app@example.com'],
    ['List-Help', '<https://example.com/help>'],
    ['BIMI-Selector', 'v=BIMI1; s=brand'],
    ['In-Reply-To', '<earlier@app>'],
  ])('keeps and signs %s', async (name, value) => {
    const { raw, dkim } = await received(utf8(`${name}: ${value}`, '', 'x'));
    expect(header(raw, name)).toBe(value);
    expect(header(raw, 'DKIM-Signature')?.replace(/\s/g, '')).toContain(`:${name.toLowerCase()}:`);
    expect(dkim).toBe('pass');
  });

  it('does not name a Sender of another domain', async () =>
    expect(header((await received(utf8('Sender: ceo@bank.test', '', 'x'))).raw, 'Sender')).toBeUndefined());

  it('folds a long References', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `<aaaaaaaaaaaaaaaaaaaa${n}@b.example>`).join(' ');
    for (const body of [
      ['', 'x'],
      ['Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'x', '--b--'],
    ]) {
      const { raw } = await received(utf8(`References: ${ids}`, ...body));
      expect(header(raw, 'References')?.replace(/\r\n/g, '').trim()).toBe(ids);
      expect(Math.max(...raw.split('\r\n').map(line => line.length))).toBeLessThanOrEqual(998);
    }
  });

  it('shows a To without an Internet address as it is', async () => {
    const local = Buffer.from('From: root <orders@example.com>\nTo: root@localhost, Grace <grace@example.org>\n\nx\n');
    expect(header((await received(local)).raw, 'To')).toBe('root@localhost, Grace <grace@example.org>');
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

  it('keeps a Reply-To that is no address, which is then refused', () =>
    expect(readSubmittedMessage(utf8('Reply-To: root', '', 'x')).replyTo).toEqual(['root']));

  it('has its subject decoded if a character is split between encoded words', () => {
    const subject = 'From: a@example.com\nSubject: =?UTF-8?B?4pyT4g==?=\n =?UTF-8?B?nJM=?=\n\nx\n';
    expect(readSubmittedMessage(Buffer.from(subject)).subject).toBe('✓✓');
    const quoted = 'Subject: =?utf-8?Q?=E2=9C?= =?utf-8?Q?=93_a?=\n\nx\n';
    expect(readSubmittedMessage(Buffer.from(quoted)).subject).toBe('✓ a');
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
