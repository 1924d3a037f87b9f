import { describe, expect, it } from '@jest/globals';
import { leaks, memoryTrend } from './memory.js';

const MINUTE_MS = 60_000;
const hour = (mib: (minute: number) => number) =>
  Array.from({ length: 60 }, (_, minute) => ({ atMs: minute * MINUTE_MS, mib: mib(minute) }));

describe('the memory of a process', () => {
  it('leaks if it grows by 2 MiB a minute', () => {
    const samples = hour(minute => 100 + 2 * minute);
    expect(memoryTrend(samples)?.mibPerHour).toBeCloseTo(120);
    expect(leaks(samples)).toBe(true);
  });

  it('does not leak if it settles after the warm-up', () =>
    expect(leaks(hour(minute => Math.min(200, 100 + 10 * minute)))).toBe(false));

  it('is not judged by a few minutes of samples', () =>
    expect(leaks(hour(minute => 100 + 2 * minute).slice(0, 20))).toBe(false));
});
