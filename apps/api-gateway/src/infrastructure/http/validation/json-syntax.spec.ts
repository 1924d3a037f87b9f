import { describe, expect, it } from '@jest/globals';
import { describeSyntaxError } from './json-syntax.js';

describe('text that is not JSON is described by the first error and its position', () => {
  it.each([
    ['{"from":', ': a value is expected at line 1, column 9'],
    ['{"a": 1,}', ': a field name in double quotes is expected at line 1, column 9'],
    ['{a: 1}', ': unexpected text at line 1, column 2'],
    ['{"a": nope}', ': unexpected text at line 1, column 7'],
    ['{\n  "a": 1\n  "b": 2\n}', ': a comma is expected at line 3, column 3'],
    ['[1, 2', ': a closing bracket is expected at line 1, column 6'],
    ['// why\n{}', ': comments are not allowed at line 1, column 1'],
    ['{"a": "x', ': a string does not end at line 1, column 7'],
  ])('%j', (text, description) => expect(describeSyntaxError(text)).toBe(description));

  it('without a position if it is very long', () => {
    expect(describeSyntaxError(`[${' '.repeat(300_000)}`)).toBe('');
  });
});
