import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { composeMessage, type MessageDraft, messageBytes, messageParts, prepareMessage } from './compose.js';
import { canonicalBody } from './dkim.js';
import { dataOf, dataOfParts } from './dot-stuffing.js';
import { parseMailbox } from './mailbox.js';
import { prepareTracking } from './rewrite-html.js';

const draftOf = (html: string): MessageDraft => ({
  from: parseMailbox('ada@example.com'),
  to: [parseMailbox('b@example.org')],
  subject: 'x',
  html,
  text: 'x',
  messageId: 'x@example.com',
  date: new Date('2026-01-02T03:04:05Z'),
});
const tracking = (n: number) => ({
  pixelUrl: `https://t.example/o/${n}${n}.gif`,
  link: (_: string, at: number) => `https://t.example/c/${n}/${at}?a=é`,
});
const latin = (length: number) => '<p>Hello  Ada, thank you. \t\r\n.\nFrom here\r</p>\n'.repeat(length / 40);
const cyrillic = (length: number) => '<p>Привет, Ада\u00a0\n\n.</p>'.repeat(length / 20);

describe('copies of a large message', () => {
  it.each([
    ['in quoted-printable', latin(100_000)],
    ['in base64', cyrillic(100_000)],
    [
      'with links',
      `${latin(70_000)}<a href="https://a.test">a</a>${latin(9_000)}<a href="https://b.test">b</a> .${latin(800)}</body>`,
    ],
    [
      'with links in base64',
      `${cyrillic(70_000)}<a href="https://a.test">a</a>${cyrillic(9_000)}<a href=https://b.test>b</a>`,
    ],
    ['that begin with a link', `<a href="https://a.test">${latin(70_000)}`],
    ['that are one line', 'x'.repeat(80_000)],
  ])('%s have the same content as separately encoded bodies', async (_, html) => {
    const prepared = prepareMessage(draftOf(html));
    const tracked = prepareTracking(html);
    for (const n of [1, 2, 3]) {
      const copy = prepared.copy(tracked.pieces(tracking(n)));
      const bytes = messageBytes(copy);
      const read = async (raw: Buffer) => (await PostalMime.parse(raw)).html;
      expect(await read(bytes)).toBe(await read(messageBytes(composeMessage(draftOf(tracked.render(tracking(n)))))));
      expect(bytes.toString('latin1')).toMatch(/^[\t\r\n\x20-\x7e]*$/);
      expect(
        Math.max(
          ...bytes
            .toString('latin1')
            .split('\r\n')
            .map(line => line.length),
        ),
      ).toBeLessThanOrEqual(76);
      expect(copy.shared?.canonicalHash()).toBe(createHash('sha256').update(canonicalBody(copy.body)).digest('base64'));
      expect(Buffer.concat(dataOfParts(messageParts(copy)))).toEqual(dataOf(bytes));
    }
  });

  it('share their memory', () => {
    const html = latin(100_000);
    const prepared = prepareMessage(draftOf(html));
    const tracked = prepareTracking(html);
    const [one, two] = [1, 2].map(n => messageParts(prepared.copy(tracked.pieces(tracking(n)))));
    const own = one!.filter(part => !two!.includes(part)).reduce((sum, part) => sum + part.length, 0);
    expect(own).toBeLessThan(2_000);
  });

  it('have a valid body hash for any content', () => {
    const piece = fc.array(
      fc.constantFrom('é', 'a', ' ', '\t', '\r', '\n', '\r\n', '.', 'From ', '=', 'x'.repeat(75)),
      {
        maxLength: 200,
      },
    );
    fc.assert(
      fc.property(piece, piece, fc.boolean(), (start, end, isBase64) => {
        const html = `${start.join('')}${(isBase64 ? 'é' : 'a').repeat(70_000)}${end.join('')}`;
        const pieces = prepareTracking(html).pieces({ pixelUrl: 'https://t.example/o/1.gif' });
        const copy = prepareMessage(draftOf(html)).copy(pieces);
        expect(copy.shared?.canonicalHash()).toBe(
          createHash('sha256').update(canonicalBody(copy.body)).digest('base64'),
        );
      }),
      { numRuns: 100 },
    );
  });
});
