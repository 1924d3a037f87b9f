import { describe, expect, it } from '@jest/globals';
import { RateLimit } from './rate-limit.js';

/** Starts a request whenever it is permitted, every millisecond; returns the times of the starts. */
const startsOf = (limit: RateLimit, fromMs: number, untilMs: number): number[] => {
  const starts: number[] = [];
  for (let now = fromMs; now < untilMs; now++) {
    while (starts.length < 10_000 && limit.waitMs(now) === 0) {
      limit.started(now);
      starts.push(now);
    }
  }
  return starts;
};

const limitOf = (perSecond: number | undefined, sinceMs = -10_000): RateLimit =>
  Object.assign(new RateLimit(), { perSecond, sinceMs });

/** The most starts within any second. */
const mostInASecond = (starts: readonly number[]): number =>
  Math.max(...starts.map(at => starts.filter(other => other >= at && other < at + 1_000).length));

describe('A rate limit', () => {
  it.each([1, 3, 100])('of %d permits so many requests within any second, and uses them', perSecond => {
    const starts = startsOf(limitOf(perSecond), 0, 5_000);
    expect(mostInASecond(starts)).toBe(perSecond);
    expect(starts).toHaveLength(5 * perSecond);
  });

  it('of a new owner assumes that the previous one used it up', () => {
    const before = startsOf(limitOf(5), 0, 1_000);
    const after = startsOf(limitOf(5, 1_000), 1_000, 3_000);
    expect(after[0]).toBe(2_000);
    expect(mostInASecond([...before, ...after])).toBe(5);
  });

  it('that is lowered counts the requests that started before', () => {
    const limit = limitOf(10);
    const before = startsOf(limit, 0, 1);
    limit.perSecond = 2;
    expect(startsOf(limit, 1, 3_000)).toEqual([1_000, 1_000, 2_000, 2_000]);
    expect(before).toHaveLength(10);
  });

  it('that is absent permits everything', () => {
    expect(limitOf(undefined, 0).waitMs(0)).toBe(0);
  });

  it('is over a second after the last request', () => {
    const limit = limitOf(1);
    expect(limit.isOver(0)).toBe(true);
    limit.started(0);
    expect([limit.isOver(1_000), limit.isOver(1_001)]).toEqual([false, true]);
  });
});
