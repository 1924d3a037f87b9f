import { describe, expect, it } from '@jest/globals';
import { buildsAtOneTime, concurrentBuildsOf } from './concurrent-builds.js';

const GIB = 1024 ** 3;

describe('Builds at one time', () => {
  it.each([
    [1, 16, 1],
    [4, 16, 4],
    [16, 8, 4],
    [64, 512, 8],
    [2, 1, 1],
  ])('on %d cores with %d GiB are %d', (cores, gib, builds) =>
    expect(buildsAtOneTime({ cores, memoryBytes: gib * GIB })).toBe(builds),
  );

  it('are as many as the operator says', () => expect(concurrentBuildsOf(12)).toBe(12));

  it('are by the measure of this machine where the operator says nothing', () =>
    expect(concurrentBuildsOf(undefined)).toBeGreaterThanOrEqual(1));
});
