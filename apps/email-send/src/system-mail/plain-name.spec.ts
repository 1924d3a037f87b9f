import { domainToASCII } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { plainName } from './plain-name.js';

describe('the name of a service in a mail of the operator', () => {
  it.each([
    ['Ada’s Shop (north)', 'Ada’s Shop (north)'],
    ['Müller & Söhne', 'Müller & Söhne'],
    ['東京ショップ', '東京ショップ'],
    ['Shop 2026', 'Shop 2026'],
    ['Your bank account is locked - visit https://evil.test/1 now', 'Your bank account is locked - visit http'],
    ['evil.test', 'evil test'],
    ['evil。test', 'evil test'],
    ['evil．test', 'evil test'],
    ['evil․test', 'evil test'],
    ['mail eve@evil.test', 'mail eve evil test'],
    ['Call 1-800-555-0100', 'Call 1-800--'],
    ['one\r\ntwo\u2028three\u0000four', 'one two three four'],
    ['a\u202Eb\u200Bc\u3164d', 'abcd'],
    ['💣', ''],
    ['...', ''],
  ])('shows %p as %p', (name, shown) => expect(plainName(name)).toBe(shown));

  const names = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc.webUrl(),
    fc.emailAddress(),
    fc.domain(),
    fc.ipV4(),
    fc
      .array(
        fc.constantFrom(
          'www',
          '.',
          '。',
          '．',
          '/',
          '://',
          '@',
          'evil',
          'com',
          '+1 800 555 0100',
          ' ',
          '\n',
          '٣',
          '﹒',
        ),
      )
      .map(parts => parts.join('')),
  );

  it('never contains text that a mail client turns into a link', () => {
    fc.assert(
      fc.property(names, name => {
        const shown = plainName(name);
        expect(shown).toMatch(/^[\p{L}\p{M}\p{Nd} ,'’&()-]*$/u);
        expect(shown.match(/\p{Nd}/gu)?.length ?? 0).toBeLessThanOrEqual(4);
        // The mapping of internationalized domain names covers every character that counts as a dot.
        for (const word of shown.split(' ')) expect(domainToASCII(`a${word}`)).not.toContain('.');
      }),
      { numRuns: 2_000 },
    );
  });

  it('is one line of at most 40 characters, each with few marks, and stays the same when it is read again', () => {
    fc.assert(
      fc.property(names, name => {
        const shown = plainName(name);
        expect([...new Intl.Segmenter('en').segment(shown)].length).toBeLessThanOrEqual(40);
        expect(shown).not.toMatch(/\p{M}{3}|^ | $| {2}/u);
        expect(plainName(shown)).toBe(shown);
      }),
      { numRuns: 2_000 },
    );
  });
});
