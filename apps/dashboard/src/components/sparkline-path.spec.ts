import { describe, expect, it } from '@jest/globals';
import { sparklinePath } from './sparkline-path.js';

const PLOT = { width: 100, height: 50, from: 0, to: 1_000, maximum: 10, gap: 150 };

describe('a sparkline', () => {
  it('runs from left to right with its highest value at the upper edge', () =>
    expect(sparklinePath([sample(0, 0), sample(100, 5), sample(200, 10)], PLOT)).toBe(
      'M0.0 50.0h0L10.0 25.0L20.0 0.0',
    ));

  it('has a gap where samples are missing', () =>
    expect(sparklinePath([sample(0, 0), sample(500, 0), sample(600, 0)], PLOT)).toBe(
      'M0.0 50.0h0M50.0 50.0h0L60.0 50.0',
    ));

  it('stays inside its plot', () => expect(sparklinePath([sample(1_000, 20)], PLOT)).toBe('M100.0 0.0h0'));

  it('is empty without samples', () => expect(sparklinePath([], PLOT)).toBe(''));
});

function sample(at: number, value: number) {
  return { at, value };
}
