/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime from 'postal-mime';
import { type Attachment, mediaTypeOf } from './attachments.js';
import { type MessageDraft, messageParts, prepareMessage } from './compose.js';
import { DkimSigner, generateDkimKeyPair } from './dkim.js';
import { parseMailbox } from './mailbox.js';

const DRAFT: MessageDraft = {
  from: parseMailbox('shop@example.com'),
  to: [parseMailbox('ada@example.org')],
  subject: 'Invoice',
  messageId: 'id@example.com',
  date: new Date('2030-01-02T03:04:05Z'),
};
const base64Of = (text: string) => Buffer.from(text).toString('base64');
const PDF: Attachment = {
  filename: 'Rechnung März.pdf',
  contentType: 'application/pdf',
  content: base64Of('%PDF-1.4\n'),
};
const LOGO: Attachment = {
  filename: 'logo.png',
  contentType: 'image/png',
  content: base64Of('png'),
  contentId: 'logo',
};

let signer: DkimSigner;
let record: string;
beforeAll(async () => {
  const pair = await generateDkimKeyPair();
  record = pair.record;
  signer = new DkimSigner({ domain: 'example.com', selector: 's1', privateKey: pair.privateKey });
});

async function received(draft: Partial<MessageDraft>, pieces?: readonly string[]) {
  const copy = prepareMessage({ ...DRAFT, ...draft }).copy(pieces);
  const bytes = Buffer.concat(messageParts(copy, [await signer.sign(copy)]));
  const { results } = await dkimVerify(bytes, { resolver: async () => [[record]] } as never);
  const parsed = await PostalMime.parse(bytes);
  return { raw: bytes.toString('latin1'), dkim: results[0]?.status.result, parsed };
}

describe('the files of a message', () => {
  it.each([
    ['HTML', { html: '<p>Hello</p>' }],
    ['text', { text: 'Hello' }],
  ])('arrive beside %s', async (_, body) => {
    const { raw, dkim, parsed } = await received({ ...body, attachments: [PDF] });
    expect(parsed.text?.trim()).toBe('Hello');
    expect(parsed.attachments).toMatchObject([
      { filename: 'Rechnung März.pdf', mimeType: 'application/pdf', disposition: 'attachment' },
    ]);
    expect(Buffer.from(parsed.attachments[0]!.content as ArrayBuffer).toString()).toBe('%PDF-1.4\n');
    expect(raw).toMatch(/^Content-Type: multipart\/mixed;/m);
    expect(raw).toMatch(/^[\x01-\x7f]*$/);
    expect(dkim).toBe('pass');
  });

  it('that have an id are inline images of the HTML', async () => {
    const { raw, parsed } = await received({ html: '<img src="cid:logo">', text: 'x', attachments: [LOGO, PDF] });
    expect(parsed.attachments).toMatchObject([
      { filename: 'logo.png', contentId: '<logo>', disposition: 'inline', related: true },
      { filename: 'Rechnung März.pdf', disposition: 'attachment' },
    ]);
    expect(raw.indexOf('multipart/mixed')).toBeLessThan(raw.indexOf('multipart/alternative'));
    expect(raw.indexOf('multipart/alternative')).toBeLessThan(raw.indexOf('multipart/related'));
  });

  it('are the same bytes in memory for all copies of a large message', async () => {
    const attachments = [{ ...PDF, content: base64Of('x'.repeat(300_000)) }];
    const prepared = prepareMessage({ ...DRAFT, html: '<p>Hello</p>', attachments });
    const [one, other] = ['a', 'b'].map(name => messageParts(prepared.copy(['<p>Hello ', name, '</p>'])));
    expect(one!.at(-1)!.length).toBeGreaterThan(400_000);
    expect(one!.at(-1)).toBe(other!.at(-1));
    const { dkim, parsed } = await received({ html: '<p>Hello</p>', attachments }, ['<p>Hello ', 'a', '</p>']);
    expect(dkim).toBe('pass');
    expect(parsed.html).toContain('<p>Hello a</p>');
    expect(Buffer.from(parsed.attachments[0]!.content as ArrayBuffer).toString()).toBe('x'.repeat(300_000));
  });

  it('that are messages are attached as such, in 7 bits', async () => {
    const eml = 'Subject: inner\nContent-Type: text/plain; charset=utf-8\n\nGrüße\n';
    const attached = { filename: 'a.eml', contentType: 'message/rfc822', content: base64Of(eml) };
    const { parsed } = await received({ text: 'x', attachments: [attached] });
    expect(parsed.attachments).toMatchObject([{ filename: 'a.eml', mimeType: 'message/rfc822' }]);
    const inner = await PostalMime.parse(parsed.attachments[0]!.content as ArrayBuffer);
    expect(inner).toMatchObject({ subject: 'inner', text: expect.stringContaining('Grüße') });
  });

  it.each([
    ['invoice.PDF', 'application/pdf'],
    ['a.ics', 'text/calendar'],
    ['unknown.xyz-1', 'application/octet-stream'],
    ['no-ending', 'application/octet-stream'],
  ])('have a type by the ending of their name: %s', (filename, type) => expect(mediaTypeOf(filename)).toBe(type));
});

describe('the header of a message', () => {
  it('names the messages that it answers', async () => {
    const references = Array.from({ length: 20 }, (_, n) => `${'a'.repeat(40)}${n}@example.org`);
    const { parsed, raw } = await received({ text: 'x', inReplyTo: 'one@example.org', references });
    expect(parsed.inReplyTo).toBe('<one@example.org>');
    expect(parsed.references).toBe(references.map(id => `<${id}>`).join(' '));
    expect(Math.max(...raw.split('\r\n').map(line => line.length))).toBeLessThan(100);
  });

  it.each([
    [{ url: 'https://x.test/u', mailto: 'u@x.test', oneClick: true }, '<https://x.test/u>, <mailto:u@x.test>', true],
    [{ mailto: 'u@x.test', oneClick: false }, '<mailto:u@x.test>', false],
    [{ url: 'https://x.test/u', oneClick: false }, '<https://x.test/u>', false],
  ])('says how to unsubscribe: %j', async (listUnsubscribe, value, oneClick) => {
    const { parsed, dkim } = await received({ text: 'x', listUnsubscribe });
    const header = (key: string) => parsed.headers.find(each => each.key === key)?.value;
    expect(header('list-unsubscribe')).toBe(value);
    expect(header('list-unsubscribe-post')).toBe(oneClick ? 'List-Unsubscribe=One-Click' : undefined);
    expect(dkim).toBe('pass');
  });
});
