import { describe, expect, it } from '@jest/globals';
import { RESTART_TIMES, RestartBackoff } from './restart-backoff.js';

describe('the pause before a crashed instance is restarted', () => {
  it('doubles from one second to one minute, and stays there', () => {
    const backoff = new RestartBackoff(RESTART_TIMES);
    expect(Array.from({ length: 9 }, () => backoff.next(0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });

  it('is reset after one healthy minute, and not earlier', () => {
    const backoff = new RestartBackoff(RESTART_TIMES);
    backoff.next(0);
    backoff.next(0);
    expect(backoff.next(59_999)).toBe(4_000);
    expect(backoff.next(60_000)).toBe(1_000);
    expect(backoff.next(0)).toBe(2_000);
  });

  it('stays bounded after any number of failures', () => {
    const backoff = new RestartBackoff(RESTART_TIMES);
    for (let failure = 0; failure < 2_000; failure += 1) backoff.next(0);
    expect(backoff.next(0)).toBe(60_000);
  });
});
