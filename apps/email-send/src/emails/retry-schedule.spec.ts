import { describe, expect, it } from '@jest/globals';
import { nextTry, retryDeadline } from './retry-schedule.js';

const accepted = new Date('2026-03-04T10:00:00Z');

describe('a deferred copy', () => {
  it('is retried after a minute, then at growing intervals, and for the last time 4 hours after the acceptance', () => {
    const deadline = retryDeadline(accepted);
    const minutes: number[] = [];
    let now = accepted;
    for (let tries = 0; now < deadline; tries++) {
      now = nextTry(tries, now, deadline);
      minutes.push((now.getTime() - accepted.getTime()) / 60_000);
    }
    expect(minutes).toEqual([1, 3, 8, 18, 33, 63, 93, 123, 153, 183, 213, 240]);
  });

  it('is due at once when its deadline has passed', () => {
    const late = new Date('2026-03-04T15:00:00Z');
    expect(nextTry(3, late, retryDeadline(accepted))).toEqual(late);
  });
});
