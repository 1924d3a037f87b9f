import { describe, expect, it } from '@jest/globals';
import { pairsIn } from './env-lines.js';

describe('lines of an .env file', () => {
  it('are keys and values, without comments, blanks and quotes', () =>
    expect(pairsIn('# comment\n\nA=1\r\n export B = "two words"\nC=\'x=y\'\nD=\n')).toEqual([
      { key: 'A', value: '1' },
      { key: 'B', value: 'two words' },
      { key: 'C', value: 'x=y' },
      { key: 'D', value: '' },
    ]));

  it('that are something else are named', () => expect(() => pairsIn('A=1\nnonsense')).toThrow('Line 2'));
});
