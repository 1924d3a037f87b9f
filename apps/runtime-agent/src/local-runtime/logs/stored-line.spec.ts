import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeLine, encodeLine } from './stored-line.js';

const line = fc.record({
  timestamp: fc.date({ noInvalidDate: true }),
  instance: fc.string(),
  stream: fc.constantFrom('stdout', 'stderr', 'build', 'platform'),
  message: fc.string({ unit: fc.nat(0x10ffff).map(String.fromCodePoint) }).map(text => text.toWellFormed()),
} as const);

describe('A stored line', () => {
  it('is decoded to the original line, and contains one line end', () =>
    fc.assert(
      fc.property(line, written => {
        const stored = encodeLine(written);

        expect(stored.indexOf('\n')).toBe(stored.length - 1);
        expect(decodeLine(stored.slice(0, -1))).toEqual(written);
      }),
    ));

  it('is decoded to undefined if it is truncated', () =>
    fc.assert(
      fc.property(line, fc.nat(), (written, cut) => {
        const stored = encodeLine(written).slice(0, -1);

        expect(decodeLine(stored.slice(0, cut % stored.length))).toBeUndefined();
      }),
    ));
});
