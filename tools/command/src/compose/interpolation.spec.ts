import { describe, expect, it } from '@jest/globals';
import { interpolation } from './interpolation.js';

const lookup = (name: string): string | undefined => ({ SET: 'value', EMPTY: '' })[name];
const dollar = '$';

describe('Variables in a Compose file', () => {
  it.each([
    ['plain', 'plain'],
    ['$SET-$SET', 'value-value'],
    [`${dollar}{SET}`, 'value'],
    ['$$SET', '$SET'],
    ['$MISSING.', '.'],
    [`${dollar}{MISSING:-default}`, 'default'],
    [`${dollar}{EMPTY:-default}`, 'default'],
    [`${dollar}{EMPTY-default}`, ''],
    [`${dollar}{MISSING-}`, ''],
    [`${dollar}{MISSING:-${dollar}{SET}/x}`, 'value/x'],
    [`${dollar}{SET:+other}${dollar}{MISSING:+other}`, 'other'],
    [`${dollar}{EMPTY+other}`, 'other'],
    [`${dollar}{SET:?text}`, 'value'],
    [`${dollar}{EMPTY?text}`, ''],
  ])('%s is %s', (text, expected) => {
    expect(interpolation(text, lookup).text).toBe(expected);
  });

  it.each([
    [`${dollar}{MISSING:?set it}`, 'MISSING has no value: set it'],
    [`${dollar}{EMPTY:?}`, 'EMPTY has no value: it is required'],
    ['a $ b', 'a $ is neither the beginning of a variable'],
    [`${dollar}{SET`, 'a $ is neither the beginning of a variable'],
    [`${dollar}{SET%x}`, 'is not supported'],
    [`${dollar}{A:-`.repeat(1_000) + '}'.repeat(1_000), 'is not supported'],
  ])('%s is refused', (text, words) => {
    expect(() => interpolation(text, lookup)).toThrow(words);
  });

  it('tell what is not in the file, and what has no value', () => {
    expect(interpolation(`$SET $MISSING`, lookup)).toMatchObject({ external: true, unset: ['MISSING'] });
    expect(interpolation(`${dollar}{MISSING:-default}`, lookup)).toMatchObject({ external: false, unset: [] });
  });
});
