import { describe, expect, it } from '@jest/globals';
import { RETRY_DELAYS_MS, retryDelayMs } from './retry-schedule.js';

const HOUR_MS = 3_600_000;

describe('retries', () => {
  it('cover about 24 hours', () => {
    const total = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
    expect(total / HOUR_MS).toBeGreaterThan(23);
    expect(total / HOUR_MS).toBeLessThan(25);
  });

  it('back off: no pause is shorter than the one before', () =>
    expect([...RETRY_DELAYS_MS].sort((a, b) => a - b)).toEqual(RETRY_DELAYS_MS));

  it('have a jitter of a fifth in both directions', () => {
    expect(retryDelayMs(1, 0)).toBe(4_000);
    expect(retryDelayMs(1, 0.5)).toBe(5_000);
    expect(retryDelayMs(1, 1)).toBe(6_000);
  });

  it('end after the last pause', () => {
    expect(retryDelayMs(RETRY_DELAYS_MS.length, 0.5)).toBe(8 * HOUR_MS);
    expect(retryDelayMs(RETRY_DELAYS_MS.length + 1, 0.5)).toBeUndefined();
  });
});
