import { describe, expect, it } from '@jest/globals';
import { CrashLoop } from './crash-loop.js';

const after = (...failures: readonly number[]): CrashLoop => {
  const loop = new CrashLoop();
  for (const at of failures) loop.record(at);
  return loop;
};

describe('A crash loop', () => {
  it('is described by the number of restarts and their duration', () => {
    expect(after(1_000, 8_000, 20_000).describe(1, 31_000)).toBe('restarted 3 times in 30 s');
  });

  it('is not reported for one or two failures', () => {
    expect(after(1_000, 8_000).describe(1, 9_000)).toBeUndefined();
  });

  it('requires three failures per instance', () => {
    const loop = after(1_000, 2_000, 3_000, 4_000, 5_000);
    expect(loop.describe(2, 6_000)).toBeUndefined();
    loop.record(6_000);
    expect(loop.describe(2, 6_000)).toBe('restarted 6 times in 5 s');
  });

  it('ends when the next failure is overdue', () => {
    expect(after(1_000, 8_000, 20_000).describe(1, 49_000)).toBe('restarted 3 times in 48 s');
    expect(after(1_000, 8_000, 20_000).describe(1, 51_000)).toBeUndefined();
    expect(after(1_000, 8_000, 20_000).describe(1, 140_000)).toBeUndefined();
  });
});
