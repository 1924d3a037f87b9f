import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { composeMessage, type MessageDraft, messageBytes, prepareMessage } from './compose.js';
import { CompositionError } from './composition-error.js';
import { withCopyId } from './copy-headers.js';
import { parseMailbox } from './mailbox.js';

const draft: MessageDraft = {
  from: parseMailbox('Ada Lovelace <ada@example.com>'),
  to: [parseMailbox('Grace <grace@example.org>')],
  subject: 'Your receipt',
  html: '<p>Thank you, <a href="https://example.com/r/1">here</a> it is.</p>',
  messageId: '0198c0de@mail.example.com',
  date: new Date('2026-01-02T03:04:05Z'),
};

describe('a composed message', () => {
  it('contains both parts, and a text derived from the HTML if none was given', async () => {
    const mail = await read(draft);
    expect(mail.html).toBe(`${draft.html}\n`);
    expect(mail.text?.trim()).toBe('Thank you, here [https://example.com/r/1] it is.');
  });

  it('is text/plain if there is no HTML', async () => {
    const { html: _, ...plain } = draft;
    const message = composeMessage({ ...plain, text: 'Hello' });
    expect(message.headerLines.map(({ line }) => line)).toContain('Content-Type: text/plain; charset=utf-8');
    expect((await PostalMime.parse(messageBytes(message))).text?.trim()).toBe('Hello');
  });

  it('has the same bytes for the same draft', () => {
    expect(messageBytes(composeMessage(draft))).toEqual(messageBytes(composeMessage(draft)));
  });

  it('shares everything but the HTML between the copies of its recipients', () => {
    const prepared = prepareMessage({ ...draft, text: 'same' });
    const [one, two] = [prepared.copy('<p>one</p>'), prepared.copy('<p>two</p>')];
    expect(one.headerLines).toBe(two.headerLines);
    expect(one.body.toString().replace('one', 'two')).toBe(two.body.toString());
  });

  it('gives each copy the header of its own id, and equal copies the same body', () => {
    const prepared = prepareMessage({ ...draft, headers: { 'x-postern-ID': 'set by the caller', 'X-Order': '7' } });
    const shared = prepared.copy();
    const [one, two] = [withCopyId(shared, 'a.1.b'), withCopyId(shared, 'a.2.b')];
    const idsOf = ({ headerLines }: typeof one) => headerLines.filter(({ name }) => /^x-/i.test(name)).map(l => l.line);
    expect(idsOf(one)).toEqual(['X-Postern-Id: a.1.b', 'X-Order: 7']);
    expect(idsOf(two)).toEqual(['X-Postern-Id: a.2.b', 'X-Order: 7']);
    expect(two.body).toBe(one.body);
  });

  it('formats its date, ids and extra headers according to RFC 5322', () => {
    const head = messageBytes(composeMessage({ ...draft, headers: { 'X-Order-Id': '42' } }))
      .toString()
      .split('\r\n\r\n')[0];
    expect(head).toContain('\r\nDate: Fri, 02 Jan 2026 03:04:05 +0000\r\n');
    expect(head).toContain('\r\nMessage-ID: <0198c0de@mail.example.com>\r\n');
    expect(head).toContain('\r\nX-Order-Id: 42\r\n');
  });

  it('has Auto-Submitted if a program sends it (RFC 3834 §5)', () => {
    const linesOf = (autoSubmitted: boolean) =>
      composeMessage({ ...draft, autoSubmitted }).headerLines.map(({ line }) => line);
    expect(linesOf(true)).toContain('Auto-Submitted: auto-generated');
    expect(linesOf(false)).not.toContain('Auto-Submitted: auto-generated');
  });

  it('has the headers for one-click unsubscription (RFC 8058)', () => {
    const linesOf = (unsubscribeUrl: string) =>
      composeMessage({ ...draft, unsubscribeUrl }).headerLines.flatMap(({ name, line }) =>
        name.startsWith('List-') ? [line] : [],
      );
    expect(linesOf('https://mail.test/u/1')).toEqual([
      'List-Unsubscribe:\r\n <https://mail.test/u/1>',
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ]);
    expect(linesOf('http://mail.test/u/1')).toEqual(['List-Unsubscribe:\r\n <http://mail.test/u/1>']);
    for (const url of ['https://mail.test/>\r\nBcc: eve@example.com', 'mailto:a@b.c', 'https://mail.test/a b'])
      expect(() => linesOf(url)).toThrow(CompositionError);
  });

  it('encodes lines that servers would alter in transit', () => {
    const { html: _, ...plain } = draft;
    const body = composeMessage({ ...plain, text: '.\n.dot\nFrom here\ntrailing \t\nend ' }).body.toString();
    expect(body).toBe('=2E\r\n=2Edot\r\n=46rom here\r\ntrailing =09\r\nend=20\r\n');
  });

  it.each<[string, Partial<MessageDraft>]>([
    ['a NUL in the text', { text: 'a\0b' }],
    ['a NUL in the HTML', { html: 'a\0b' }],
    ['a line break in the subject', { subject: 'a\r\nBcc: eve@example.com' }],
    ['a line break in an extra header', { headers: { 'X-A': 'a\nBcc: eve@example.com' } }],
    ['a reserved header', { headers: { Bcc: 'eve@example.com' } }],
    ['a header name that is none', { headers: { 'X-A: b\r\nBcc': 'eve@example.com' } }],
    ['a message id with a line break', { messageId: 'a\r\n@b' }],
    ['an invalid date', { date: new Date(Number.NaN) }],
    ['nobody in To', { to: [] }],
    ['a line break in a display name', { from: { ...draft.from, name: 'a\r\nBcc: eve@example.com' } }],
    ['a line break in an address', { from: { ...draft.from, address: 'a@b.io>\r\nBcc: eve@example.com' } }],
  ])('is refused for %s', (_, part) => {
    expect(() => composeMessage({ ...draft, ...part })).toThrow(CompositionError);
  });

  it('keeps an address that needs SMTPUTF8 unchanged, and reports it', async () => {
    const message = composeMessage({ ...draft, to: [parseMailbox('Ада <ада@example.org>')] });
    expect(message.needsSmtpUtf8).toBe(true);
    expect((await PostalMime.parse(messageBytes(message))).to).toEqual([{ name: 'Ада', address: 'ада@example.org' }]);
  });

  it('returns the original content to a reader, from 7-bit text and short lines', async () => {
    await fc.assert(
      fc.asyncProperty(anyDraft, async composed => {
        const bytes = messageBytes(composeMessage(composed));
        const wire = bytes.toString('latin1');
        expect(wire).toMatch(/^[\t\r\n\x20-\x7e]*$/);
        expect(wire.replace(/\r\n/g, '')).not.toMatch(/[\r\n]/);
        expect(wire.split('\r\n').filter(line => line.length > 78)).toEqual([]);

        const mail = await PostalMime.parse(bytes);
        expect(mail.subject ?? '').toBe(composed.subject);
        expect(mail.from).toEqual(asParsed(composed.from));
        expect(mail.to).toEqual(composed.to.map(asParsed));
        expect(mail.cc ?? []).toEqual((composed.cc ?? []).map(asParsed));
        expect(mail.replyTo ?? []).toEqual((composed.replyTo ?? []).map(asParsed));
        expect(asRead(mail.html)).toBe(asRead(composed.html));
        expect(asRead(mail.text)).toBe(asRead(composed.text));
        const extra = mail.headers.find(({ key }) => key === 'x-extra')?.value ?? '';
        if (/^[\x21-\x7e]*$/.test(composed.headers?.['X-Extra'] ?? '') && !extra.startsWith('=?')) {
          expect(extra).toBe(composed.headers?.['X-Extra']);
        }
      }),
      { numRuns: 150 },
    );
  });
});

const line = (maxLength: number) =>
  fc
    .string({
      unit: fc.oneof(fc.constantFrom(...'  =?_.,"\\'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
      maxLength,
    })
    .map(text => text.replace(/\p{Cc}/gu, ''));
const name = line(60).map(text => text.replace(/[\p{Zl}\p{Zp}\s]+/gu, ' ').trim());
const mailbox = fc
  .tuple(name, fc.constantFrom('ada@example.com', 'x+y@b.example'))
  .map(([text, address]) => ({ ...parseMailbox(address), ...(text === '' ? {} : { name: text }) }));
const content = fc
  .array(fc.oneof(line(200), fc.constantFrom('\r\n', '\n', '\r', '.', 'From ', ' ', '\t', '=', '--', '<p>')))
  .map(parts => parts.join(''));
const anyDraft: fc.Arbitrary<MessageDraft> = fc.record({
  from: mailbox,
  to: fc.array(mailbox, { minLength: 1, maxLength: 5 }),
  cc: fc.array(mailbox, { maxLength: 3 }),
  replyTo: fc.array(mailbox, { maxLength: 2 }),
  subject: line(300),
  html: content,
  text: content,
  headers: fc.record({ 'X-Extra': line(200) }),
  messageId: fc.constant('0198c0de@mail.example.com'),
  date: fc.constant(draft.date),
});

function asParsed({ name: text = '', address }: { name?: string; address: string }): { name: string; address: string } {
  return { name: text, address };
}

/** The reader counts lines by LF, and sometimes ends a body with one more. */
function asRead(text = ''): string {
  return text.replace(/\r\n|\r/g, '\n').replace(/\n+$/, '');
}

async function read(what: MessageDraft): Promise<Awaited<ReturnType<typeof PostalMime.parse>>> {
  return PostalMime.parse(messageBytes(composeMessage(what)));
}
