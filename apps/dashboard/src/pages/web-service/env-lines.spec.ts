import { describe, expect, it } from '@jest/globals';
import { maskingOf, parseEnvLines } from './env-lines.js';

describe('lines of an .env file', () => {
  it('are parsed into keys and values, without comments, blank lines and quotes', () =>
    expect(parseEnvLines('# comment\n\nA=1\r\n export B = "two words"\nC=\'x=y\'\nD=\n')).toEqual([
      { key: 'A', value: '1' },
      { key: 'B', value: 'two words' },
      { key: 'C', value: 'x=y' },
      { key: 'D', value: '' },
    ]));

  it('fail with the line number if they are invalid', () =>
    expect(() => parseEnvLines('A=1\nnonsense')).toThrow('Line 2'));
});

describe('the checkbox "Mask value"', () => {
  it('masks the value if it is checked', () => expect(maskingOf('on')).toEqual({ is_secret: true }));

  it('does not unmask an existing variable if it is not checked', () => expect(maskingOf(undefined)).toEqual({}));
});
