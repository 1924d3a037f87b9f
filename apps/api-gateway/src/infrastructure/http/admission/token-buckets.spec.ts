import { beforeEach, describe, expect, it } from '@jest/globals';
import { TokenBuckets } from './token-buckets.js';

describe('A token bucket', () => {
  let now: number;
  let buckets: TokenBuckets;
  beforeEach(() => {
    now = 0;
    buckets = new TokenBuckets(10, 20, () => now);
  });

  const spent = (attempts: number, key = 'ada') =>
    Array.from({ length: attempts }, () => buckets.spend(key)).filter(wait => wait === 0).length;

  it('allows its burst at once, and then its rate', () => {
    expect(spent(50)).toBe(20);
    for (let second = 1; second <= 5; second++) {
      now = second * 1_000;
      expect(spent(50)).toBe(10);
    }
  });

  it('returns the time to wait, and then allows the request', () => {
    spent(20);
    const wait = buckets.spend('ada');
    expect(wait).toBeCloseTo(0.1);
    now += wait * 1_000;
    expect(buckets.spend('ada')).toBe(0);
  });

  it('is not filled by refused attempts, and never exceeds its burst', () => {
    spent(1_000);
    now = 60_000;
    expect(spent(1_000)).toBe(20);
  });

  it('is separate for each key', () => {
    spent(1_000, 'mallory');
    expect(spent(1_000)).toBe(20);
  });

  it('accepts a refunded token, and is full for an unused key', () => {
    spent(20);
    expect([buckets.level('ada'), buckets.level('eve')]).toEqual([0, 20]);
    buckets.refund('ada');
    expect(buckets.level('ada')).toBe(1);
    expect(spent(2)).toBe(1);
  });

  it('can take a fraction of a token', () => {
    spent(20);
    now = 50;
    buckets.take('ada');
    expect(buckets.secondsUntilOne('ada')).toBeCloseTo(0.1);
  });

  it('goes into debt only up to its limit', () => {
    const indebted = new TokenBuckets(10, 20, () => now, 5);
    indebted.lower('ada', 1);
    for (let count = 0; count < 10; count++) indebted.take('ada');
    expect(indebted.level('ada')).toBe(-5);
    now = 600;
    expect(indebted.spend('ada')).toBe(0);
  });
});
