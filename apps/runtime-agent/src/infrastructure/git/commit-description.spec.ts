import { describe, expect, it } from '@jest/globals';
import { commitDescription } from './commit-description.js';

describe('The description of a commit', () => {
  it('is the first line of its message and the name of its author', () =>
    expect(commitDescription('Ada Lovelace\nFix the cart\n')).toEqual({
      subject: 'Fix the cart',
      author: 'Ada Lovelace',
    }));

  it('is absent without a message', () => expect(commitDescription('Ada\n\n')).toBeUndefined());

  it('has no characters that change the display of the text around it', () =>
    expect(commitDescription('A\u202Eda\n\u001b[31mred\u0000\u2028x\n')).toEqual({
      subject: '[31mred x',
      author: 'A da',
    }));

  it('is cut off after 200 characters', () => {
    const { subject } = commitDescription(`Ada\n${'ü'.repeat(5_000)}\n`) ?? { subject: '' };
    expect(subject).toBe(`${'ü'.repeat(199)}…`);
  });
});
