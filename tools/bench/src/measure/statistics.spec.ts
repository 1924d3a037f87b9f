import { describe, expect, it } from '@jest/globals';
import { percentile, ratioOf, spreadOf } from './statistics.js';

describe('the statistics of a run', () => {
  it('take the middle round, however the rounds are ordered', () =>
    expect(spreadOf([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 }));

  it('take the mean of the two middle rounds where their number is even', () =>
    expect(spreadOf([1, 2, 4, 9]).median).toBe(3));

  it('interpolate a percentile between its neighbours', () => expect(percentile([0, 100], 99)).toBe(99));

  it('compare round with round, so that a slow minute for both changes no ratio', () =>
    expect(ratioOf([100, 10, 100], [50, 5, 50])).toEqual({ median: 2, min: 2, max: 2 }));

  it('refuse to make a figure of nothing', () => expect(() => spreadOf([])).toThrow('nothing was measured'));
});
