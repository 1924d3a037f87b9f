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

  it('says how long a caller has to wait, and then allows the request', () => {
    spent(20);
    const wait = buckets.spend('ada');
    expect(wait).toBeCloseTo(0.1);
    now += wait * 1_000;
    expect(buckets.spend('ada')).toBe(0);
  });

  it('is not filled by attempts that it refuses, and never holds more than its burst', () => {
    spent(1_000);
    now = 60_000;
    expect(spent(1_000)).toBe(20);
  });

  it('is its own for each key', () => {
    spent(1_000, 'mallory');
    expect(spent(1_000)).toBe(20);
  });

  it('takes a token back, and is empty only for a key that has used it up', () => {
    spent(20);
    expect([buckets.isEmpty('ada'), buckets.isEmpty('eve')]).toEqual([true, false]);
    buckets.refund('ada');
    expect(buckets.isEmpty('ada')).toBe(false);
    expect(spent(2)).toBe(1);
  });

  it('gives up what is left of a token when it is drained', () => {
    spent(20);
    now = 50;
    buckets.drain('ada');
    expect(buckets.spend('ada')).toBeCloseTo(0.1);
  });
});
