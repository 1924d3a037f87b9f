import { describe, expect, it } from '@jest/globals';
import { concurrentBuildsOf, defaultConcurrentBuilds } from './concurrent-builds.js';

const GIB = 1024 ** 3;

describe('The number of concurrent builds', () => {
  it.each([
    [1, 16, 1],
    [4, 16, 4],
    [16, 8, 4],
    [64, 512, 8],
    [2, 1, 1],
  ])('on %d cores with %d GiB are %d', (cores, gib, builds) =>
    expect(defaultConcurrentBuilds({ cores, memoryBytes: gib * GIB })).toBe(builds),
  );

  it('is the configured number', () => expect(concurrentBuildsOf(12)).toBe(12));

  it('depends on the machine if it is not configured', () =>
    expect(concurrentBuildsOf(undefined)).toBeGreaterThanOrEqual(1));
});
