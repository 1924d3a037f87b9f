import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeText } from './transfer-encoding.js';

describe('an encoded text', () => {
  it('is quoted-printable if it is mostly ASCII, and base64 otherwise', () => {
    expect(encodeText('Dear Zoë, thank you').encoding).toBe('quoted-printable');
    expect(encodeText('Спасибо').encoding).toBe('base64');
  });

  it('decodes to the same text with CRLF line ends, in lines of at most 76 ASCII characters', () => {
    const unit = fc.oneof(
      fc.constantFrom(' ', '\t', '=', '.', 'F', 'From ', '\r', '\n', '\r\n', 'a', 'é', '\u0001', '~'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 400 }), text => {
        const { encoding, encoded } = encodeText(text);
        expect(encoded).toMatch(/^[\t\r\n\x20-\x7e]*$/);
        const lines = encoded.split('\r\n');
        expect(lines.filter(line => line.length > 76 || /[\r\n]|[ \t]$|^From |^\./.test(line))).toEqual([]);
        const decoded = encoding === 'base64' ? Buffer.from(encoded, 'base64').toString() : unquoted(encoded);
        expect(decoded).toBe(text.replace(/\r\n|\r|\n/g, '\r\n'));
      }),
      { numRuns: 500 },
    );
  });

  it('takes time in proportion to its length', () => {
    const before = process.cpuUsage().user;
    encodeText(' '.repeat(5_000_000));
    encodeText('\r'.repeat(1_000_000));
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(3_000);
  });
});

function unquoted(encoded: string): string {
  const bytes = encoded
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
