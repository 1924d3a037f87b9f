import { describe, expect, it } from '@jest/globals';
import { columnsOf, sparklinePath } from './sparkline-path.js';

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

describe('the columns of samples', () => {
  const spans = (...samples: ReturnType<typeof sample>[]) =>
    columnsOf(samples, PLOT).map(({ x, width }) => [x, x + width].map(edge => Math.round(edge * 10) / 10));

  it('meet halfway, and end where the line ends', () =>
    expect(spans(sample(100, 1), sample(200, 1), sample(600, 1))).toEqual([
      [2.5, 15],
      [15, 27.5],
      [52.5, 67.5],
    ]));

  it('stay inside the plot', () => expect(spans(sample(0, 1), sample(1_000, 1)).flat()).toEqual([0, 7.5, 92.5, 100]));
});

function sample(at: number, value: number) {
  return { at, value };
}
