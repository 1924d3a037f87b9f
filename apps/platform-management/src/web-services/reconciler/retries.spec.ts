import { describe, expect, it, jest } from '@jest/globals';
import { Retries } from './retries.js';

describe('retries', () => {
  it('pause after a failure and give up after the third', () => {
    jest.useFakeTimers();
    try {
      const retries = new Retries();
      expect(retries.isDue('stop')).toBe(true);
      expect(retries.recordFailure('stop')).toBe('retry');
      expect([retries.isDue('stop'), retries.isDue('build')]).toEqual([false, true]);
      jest.advanceTimersByTime(2_000);
      expect(retries.isDue('stop')).toBe(true);
      expect([retries.recordFailure('stop'), retries.recordFailure('stop')]).toEqual(['retry', 'give_up']);
      expect(retries.isDue('stop')).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });
});
