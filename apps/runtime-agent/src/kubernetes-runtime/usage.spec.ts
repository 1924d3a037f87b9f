import { describe, expect, it } from '@jest/globals';
import { quantity } from './usage.js';

describe('A quantity of Kubernetes', () => {
  it.each([
    ['250m', 0.25],
    ['1', 1],
    ['0.5', 0.5],
    ['123456789n', 0.123456789],
    ['128974848', 128_974_848],
    ['123Mi', 123 * 2 ** 20],
    ['2Gi', 2 ** 31],
    ['1e3', 1_000],
    ['3k', 3_000],
  ])('is read: %s', (text, value) => {
    expect(quantity(text)).toBeCloseTo(value, 9);
  });

  it.each(['', 'many', '3 apples', '5Xi'])('is rejected if it is not valid: "%s"', text => {
    expect(() => quantity(text)).toThrow('is not a valid quantity');
  });
});
