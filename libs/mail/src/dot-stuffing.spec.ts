import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dataOf, dataOfParts } from './dot-stuffing.js';

const data = (text: string) => dataOf(Buffer.from(text, 'latin1')).toString('latin1');

describe('the data of a message', () => {
  it.each([
    ['', '.\r\n'],
    ['a\r\n', 'a\r\n.\r\n'],
    ['a', 'a\r\n.\r\n'],
    ['.', '..\r\n.\r\n'],
    ['.a\r\n..b\r\nc.\r\n', '..a\r\n...b\r\nc.\r\n.\r\n'],
    ['a\n.\nb', 'a\r\n..\r\nb\r\n.\r\n'],
    ['a\r.\rb\r', 'a\r\n..\r\nb\r\n.\r\n'],
    ['a\r\n\r\n.\r\nMAIL', 'a\r\n\r\n..\r\nMAIL\r\n.\r\n'],
  ])('%j is %j', (text, expected) => {
    expect(data(text)).toBe(expected);
  });

  it('is the same in parts, and parts that need no change are not copied', () => {
    const parts = ['.a\r\n', 'b\r\n', '.c'].map(text => Buffer.from(text));
    for (let round = 1; round <= 2; round++)
      expect(Buffer.concat(dataOfParts(parts)).toString()).toBe(data('.a\r\nb\r\n.c'));
    expect(dataOfParts(parts)[1]).toBe(parts[1]);
  });

  it('ends once, at its end, and can be decoded to the message', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\r', '\n', '\r\n', '.', 'a', '\xe9') }), text => {
        const made = data(text);
        expect(`\r\n${made}`.indexOf('\r\n.\r\n')).toBe(made.length - 3);
        expect(made.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        const content = made.slice(0, -3).replace(/^\./gm, '');
        const lines = text.replace(/\r\n|\r|\n/g, '\r\n');
        expect(content).toBe(lines === '' || lines.endsWith('\r\n') ? lines : `${lines}\r\n`);
      }),
      { numRuns: 500 },
    );
  });
});
