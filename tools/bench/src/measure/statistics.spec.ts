import { describe, expect, it } from '@jest/globals';
import { percentile, ratioOf, spreadOf } from './statistics.js';

describe('the statistics of a run', () => {
  it('use the median, independent of the order', () =>
    expect(spreadOf([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 }));

  it('use the mean of the two middle rounds for an even number', () => expect(spreadOf([1, 2, 4, 9]).median).toBe(3));

  it('interpolate a percentile between its neighbours', () => expect(percentile([0, 100], 99)).toBe(99));

  it('compare round by round, so that a slow minute for both does not change the ratio', () =>
    expect(ratioOf([100, 10, 100], [50, 5, 50])).toEqual({ median: 2, min: 2, max: 2 }));

  it('throw without values', () => expect(() => spreadOf([])).toThrow('nothing was measured'));
});
