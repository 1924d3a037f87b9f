import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type RawReply, ReplyReader, ReplySyntaxError } from './smtp-wire.js';

function read(...chunks: (string | Buffer)[]): RawReply[] {
  const reader = new ReplyReader();
  const replies: RawReply[] = [];
  for (const chunk of chunks) reader.read(Buffer.from(chunk as string), reply => replies.push(reply));
  return replies;
}

describe('the replies of a relay', () => {
  const stream = '220 hello\r\n250-a\r\n250-b ü\r\n250 c\r\n354\r\n250\n550 5.1.1 no\r\n';
  const replies = [
    { code: 220, text: '220 hello' },
    { code: 250, text: '250-a\n250-b ü\n250 c' },
    { code: 354, text: '354' },
    { code: 250, text: '250' },
    { code: 550, text: '550 5.1.1 no' },
  ];

  it('are the same for any split into packets', () => {
    const bytes = Buffer.from(stream);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length })), cuts => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        expect(read(...places.slice(1).map((end, at) => bytes.subarray(places[at], end)))).toEqual(replies);
      }),
    );
  });

  it('report whether more data has already arrived', () => {
    const more: boolean[] = [];
    new ReplyReader().read(Buffer.from('250 a\r\n250 b\r\n25'), (_, moreCame) => more.push(moreCame));
    new ReplyReader().read(Buffer.from('250 a\r\n250 b\r\n'), (_, moreCame) => more.push(moreCame));
    expect(more).toEqual([true, true, true, false]);
  });

  it('are read as Latin-1 if they are not UTF-8', () => {
    expect(read(Buffer.from('550 n\xf6\r\n', 'latin1'))).toEqual([{ code: 550, text: '550 nö' }]);
  });

  it.each(['\r\n', 'ok\r\n', '25\r\n', '2500 x\r\n', '250-a\r\n251 b\r\n', '250-a\r\n\r\n', 'x'.repeat(70_000)])(
    'are not %#: data after such a line is not trusted',
    text => {
      expect(() => read(text)).toThrow(ReplySyntaxError);
    },
  );
});
