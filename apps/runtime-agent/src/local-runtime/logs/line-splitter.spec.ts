import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CUT_MARK, LineSplitter } from './line-splitter.js';
import { plainRedactor } from './testing/plain-redactor.js';

const linesOf = (chunks: readonly (Uint8Array | string)[], secrets: readonly string[] = [], maxLineBytes = 16_384) => {
  const lines: string[] = [];
  const splitter = new LineSplitter(plainRedactor(secrets), maxLineBytes, line => lines.push(line));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
};

const cutAt = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((one, other) => one - other);
  return [...places, bytes.length].map((place, index, all) => bytes.subarray(all[index - 1] ?? 0, place));
};

const line = fc.string({ unit: 'grapheme', maxLength: 40 }).filter(text => !/[\r\n]/.test(text));

describe('The lines of a stream', () => {
  it('are the same however its bytes are split into chunks', () =>
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(), { maxLength: 20 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map(text => `${text}\n`).join(''));

        expect(linesOf(cutAt(bytes, cuts))).toEqual(lines.map(text => text.toWellFormed()));
      }),
    ));

  it('never contain a secret, even across chunks', () =>
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(), { maxLength: 20 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map(text => `${text}s3cr3t-välue${text}\n`).join(''));

        for (const shown of linesOf(cutAt(bytes, cuts), ['s3cr3t-välue'])) expect(shown).not.toContain('s3cr3t-välue');
      }),
    ));

  it('are cut with a mark between two characters if they are too long, and the next line is complete', () =>
    fc.assert(
      fc.property(fc.nat(100), fc.array(fc.nat(), { maxLength: 20 }), (length, cuts) => {
        const bytes = Buffer.from(`${'x'.repeat(length)}${'€'.repeat(100)}\nnext\n`);
        const [long = '', next] = linesOf(cutAt(bytes, cuts), [], 64);

        expect(long.endsWith(CUT_MARK)).toBe(true);
        const kept = long.slice(0, -CUT_MARK.length);
        expect(bytes.toString().startsWith(kept)).toBe(true);
        expect(Buffer.byteLength(kept)).toBeGreaterThan(61);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(64);
        expect(next).toBe('next');
      }),
    ));

  it('of exactly the maximum size are not cut', () => {
    expect(linesOf([`${'x'.repeat(64)}\n`], [], 64)).toEqual(['x'.repeat(64)]);
    expect(linesOf([`${'x'.repeat(65)}\n`], [], 64)).toEqual(['x'.repeat(64) + CUT_MARK]);
  });

  it('lose the carriage return of CRLF, include empty lines, and need no final line end', () => {
    expect(linesOf(['one\r', '\n\n', 'two'])).toEqual(['one', '', 'two']);
  });

  it('contain U+FFFD for invalid UTF-8', () => {
    expect(linesOf([Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82])])).toEqual(['a\ufffdb', '\ufffd']);
  });
});
