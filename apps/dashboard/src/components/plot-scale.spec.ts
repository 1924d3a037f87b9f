import { describe, expect, it } from '@jest/globals';
import { axisEndOf, marksOf, withGaps } from './plot-scale.js';

const MIB = 1_024 ** 2;

describe('The axis of a chart', () => {
  it.each([
    [0, 1],
    [3, 3],
    [19, 20],
    [120, 150],
    [954, 1_000],
  ])('up to %p ends at %p', (highest, end) => expect(axisEndOf(highest, {})).toBe(end));

  it('of rates has marks below 1', () => {
    const end = axisEndOf(0.13, { least: 0.01 });
    expect([end, marksOf(end, { least: 0.01 }).length]).toEqual([expect.closeTo(0.15), 4]);
  });

  it('of bytes has marks at binary units', () => {
    const end = axisEndOf(300 * MIB, { binary: true });
    expect([end, marksOf(end, { binary: true })]).toEqual([384 * MIB, [0, 128, 256, 384].map(mib => mib * MIB)]);
  });

  it('shows a low curve under a high limit', () => expect(axisEndOf(12, {})).toBeLessThan(20));

  it('begins at 0 and ends with its last mark', () => {
    for (const highest of [1, 7, 42, 999, 12_345]) {
      const end = axisEndOf(highest, {});
      const marks = marksOf(end, {});
      expect([marks[0], marks.at(-1), marks.length <= 6]).toEqual([0, end, true]);
      expect(end).toBeGreaterThanOrEqual(highest);
    }
  });
});

it('A line is interrupted where samples are missing', () =>
  expect(withGaps([0, 10, 100], [1, 2, 3], 25)).toEqual([
    [0, 10, 11, 100],
    [1, 2, null, 3],
  ]));
