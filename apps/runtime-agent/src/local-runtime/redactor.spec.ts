import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MASK, redactor } from './redactor.js';
import { formsOf } from './redactor-forms.js';

const SECRET = 'pässwörd/"1+1=2"?\n\'second line\'';

const redact = (secrets: readonly string[], ...chunks: readonly string[]): string => {
  const made = redactor(secrets);
  return chunks.map(chunk => made.push(chunk)).join('') + made.end();
};

const placesOf = (form: string, text: string): number[] => {
  const places: number[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) places.push(at);
  return places;
};

/** Reference implementation: masks every occurrence of every form, and merges overlapping ones. */
const expected = (secrets: readonly string[], text: string): string => {
  const spans = secrets
    .flatMap(formsOf)
    .flatMap(form => placesOf(form, text).map(at => [at, at + form.length] as const))
    .sort(([a], [b]) => a - b);
  let [result, at, open] = ['', 0, 0];
  for (const [start, end] of spans) {
    if (start >= open) result += text.slice(at, start) + MASK;
    open = Math.max(open, end);
    at = open;
  }
  return result + text.slice(at);
};

const cut = (text: string, at: readonly number[]): readonly string[] => {
  const borders = [0, ...at.map(place => place % (text.length + 1)).sort((a, b) => a - b), text.length];
  return borders.slice(1).map((border, index) => text.slice(borders[index], border));
};

describe('The redactor', () => {
  it.each<readonly [string, (secret: string) => string]>([
    ['as it is', secret => secret],
    ['in JSON', secret => JSON.stringify({ secret })],
    ['in JSON within JSON', secret => JSON.stringify(JSON.stringify({ secret }))],
    ['in JSON of ASCII', secret => JSON.stringify(secret).replaceAll('ä', '\\u00e4').replaceAll('ö', '\\u00f6')],
    ['URL-encoded', secret => encodeURIComponent(secret)],
    ['URL-encoded in small letters', secret => encodeURIComponent(secret).replaceAll(/%../g, e => e.toLowerCase())],
    ['form-encoded', secret => new URLSearchParams({ secret }).toString()],
    ['quoted by a shell', secret => `'${secret.replaceAll("'", "'\\''")}'`],
    ['with other line ends', secret => secret.replaceAll('\n', '\r\n')],
    ['in base64', secret => Buffer.from(secret).toString('base64')],
    ['in base64 after one byte', secret => Buffer.from(`:${secret}:`).toString('base64')],
    ['in base64 after two bytes', secret => Buffer.from(`a:${secret}`).toString('base64')],
    ['in hex', secret => Buffer.from(secret).toString('hex')],
    ['in capital hex', secret => `0x${Buffer.from(secret).toString('hex').toUpperCase()}`],
    ['in base64url', secret => Buffer.from(`é${secret}é`).toString('base64url')],
  ])('masks a secret %s', (_, print) => {
    const masked = redact([SECRET], `before ${print(SECRET)} after`);
    expect(masked).toMatch(/^before .*\*{8}.* after$/);
    expect(masked.replaceAll(/[*'"{}:\\=+/?]|before|after|secret/g, '').trim().length).toBeLessThan(8);
  });

  it('masks the same text however it is split into chunks', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'ab', 'é', '"', 'abab', SECRET.slice(0, 5), SECRET, 'YWJhYg=='), {
      maxLength: 40,
    });
    const secrets = fc.array(fc.constantFrom(SECRET, 'abab', 'aaaa', 'babab', 'ab"é', 'aabaabaab'), { maxLength: 4 });
    fc.assert(
      fc.property(secrets, texts, fc.array(fc.nat()), (known, parts, places) => {
        const text = parts.join('');
        expect(redact(known, ...cut(text, places))).toBe(expected(known, text));
      }),
      { numRuns: 400 },
    );
  });

  it('masks every form of every secret', () => {
    const secrets = fc.array(
      fc.string({ minLength: 4, maxLength: 40, unit: fc.nat(0x10ffff).map(String.fromCodePoint) }),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    fc.assert(
      fc.property(secrets, fc.array(fc.tuple(fc.nat(), fc.string())), fc.array(fc.nat()), (known, parts, places) => {
        const forms = known.flatMap(formsOf).filter(form => !MASK.includes(form));
        const text = parts.map(([which, between]) => forms[which % forms.length] + between).join('');
        const masked = redact(known, ...cut(text, places));
        expect(masked).toBe(redact(known, text));
        expect(masked.split(MASK).filter(rest => forms.some(form => rest.includes(form)))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('masks a long secret completely and in parts', () => {
    const long = Array.from({ length: 5_000 }, (_, index) => index.toString(36)).join('');
    expect(redact([long], 'a', long, 'b')).toBe(`a${MASK}b`);
    expect(redact([long], long.slice(510, 1_600))).toContain(MASK);
  });

  it('masks the lines of a multi-line secret individually', () => {
    expect(redact(['-----BEGIN KEY-----\nMIIEvQIBADANBg\n'], '  | MIIEvQIBADANBg |')).toBe(`  | ${MASK} |`);
  });

  it('masks a secret of fewer than four characters only as a whole word', () => {
    expect(redact(['abc', ''], 'abc abcd xabc "abc", x=abc;abc')).toBe(
      `${MASK} abcd xabc "${MASK}", x=${MASK};${MASK}`,
    );
    expect(redact(['42'], 'PIN 4', '2\n')).toBe(`PIN ${MASK}\n`);
    expect(redact(['42'], 'port 4', '23')).toBe('port 423');
    expect(redact(['é!', '-'], 'café! é!x -')).toBe(`café! ${MASK}x ${MASK}`);
  });

  it('masks the same short secrets however the text is split into chunks', () => {
    const secrets = ['7', 'ab', 'a-b', 'b!', 'é', 'long ab'];
    const texts = fc.array(fc.constantFrom('7', 'a', 'b', 'ab', '-', '!', ' ', 'é', 'x', 'long '), { maxLength: 30 });
    fc.assert(
      fc.property(texts, fc.array(fc.nat()), (parts, places) => {
        const text = parts.join('');
        const whole = redact(secrets, text);
        expect(redact(secrets, ...cut(text, places))).toBe(whole);
        for (const alone of [/(?<![\p{L}\p{N}_])7(?![\p{L}\p{N}_])/u, /(?<![\p{L}\p{N}_])ab(?![\p{L}\p{N}_])/u])
          expect(redact(secrets.slice(0, -1), text)).not.toMatch(alone);
      }),
      { numRuns: 500 },
    );
  });

  it('returns text at once that cannot become a secret', () => {
    const made = redactor(['secret']);
    expect(made.push('a line\nand sec')).toBe('a line\nand ');
    expect(made.push('ond')).toBe('second');
  });

  it('holds back fewer than 256 characters, also within masked text', () => {
    for (const secret of ['aaaa', 'a'.repeat(60_000), `${'ab'.repeat(30_000)}c`]) {
      const made = redactor([secret]);
      const given = Array.from({ length: 100 }, () => made.push(`${secret.slice(0, 2_000)}x`));
      expect(given.filter(text => text === '')).toEqual([]);
      expect(made.end().length).toBeLessThan(256);
    }
    expect(redactor(['aaaa']).push('a'.repeat(100_000))).toBe(MASK);
  });

  it('withholds the output if the secrets are larger than any environment', () => {
    expect(redact(['a'.repeat(600_000), 'b'.repeat(600_000)], 'aaaa')).toBe(
      '[output withheld: there are too many secrets to look for]',
    );
  });

  it('takes time linear in the text, also with many near matches of a long secret', () => {
    const secret = `${'a'.repeat(30_000)}b`;
    const text = `${'a'.repeat(200)}c`.repeat(20_000);
    const before = process.cpuUsage().user;
    expect(redact([secret, 'aaab', 'aab', 'abcd'], text)).toBe(text);
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(5_000);
  });
});
