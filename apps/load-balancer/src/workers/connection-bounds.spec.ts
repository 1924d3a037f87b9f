import { describe, expect, it } from '@jest/globals';
import { boundsWithin, openFileLimit } from './connection-bounds.js';

const BOUNDS = { total: 10_000, perAddress: 500 };

describe('the bounds of connections', () => {
  it.each([
    [1_048_576, 10_000, 500],
    [30_000, 10_000, 500],
    [6_000, 2_000, 500],
    [600, 200, 50],
    [3, 1, 1],
    [Number.POSITIVE_INFINITY, 10_000, 500],
  ])('with %d files are %d in total and %d per address', (openFiles, total, perAddress) =>
    expect(boundsWithin(BOUNDS, openFiles)).toEqual({ total, perAddress }),
  );

  it('are unchanged if the file limit is sufficient', () => {
    const whole = { total: 100, perAddress: 100 };
    expect(boundsWithin(whole, 1_024)).toBe(whole);
  });
});

it('the open file limit is read from this process', async () => {
  expect(await openFileLimit()).toBeGreaterThan(100);
});
