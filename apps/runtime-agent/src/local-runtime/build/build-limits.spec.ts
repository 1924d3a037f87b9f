import { describe, expect, it } from '@jest/globals';
import { buildMemoryBytes, heapMib } from './build-limits.js';

const GIB = 2 ** 30;

describe('The memory limit of a build', () => {
  it.each([
    [2, 1, 2],
    [8, 4, 2],
    [16, 4, 3.2],
    [24, 2, 8],
    [64, 8, 7.1],
    [512, 8, 8],
  ])('on a machine with %d GiB and %d concurrent builds is %d GiB', (machine, builds, gib) =>
    expect(buildMemoryBytes(machine * GIB, builds) / GIB).toBeCloseTo(gib, 1),
  );

  it('is three quarters heap for Node.js', () => expect(heapMib({ memoryBytes: 2 * GIB })).toBe(1_536));
});
