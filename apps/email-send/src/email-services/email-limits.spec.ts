import { describe, expect, it } from '@jest/globals';
import { rateLimitOf, refusalOfOneMore, type Usage } from './email-limits.js';

const at = new Date('2026-03-04T10:20:45.500Z');

describe('the limits', () => {
  it('admit a message while neither the minute nor the day is used up', () =>
    expect(refusalOfOneMore(used({ minuteUsed: 59, dayUsed: 49 }), true, at)).toBeUndefined());

  it('refuse the 61st message of a minute until the minute ends', () =>
    expect(refusalOfOneMore(used({ minuteUsed: 60 }), true, at)).toMatchObject({
      code: 'minute_limit_reached',
      details: { retry_after_s: 15, rate_limit: { limit: 60, remaining: 0, reset_s: 15 } },
    }));

  it('refuse the 51st message of a UTC day until midnight', () =>
    expect(refusalOfOneMore(used({ dayUsed: 50 }), true, at)).toMatchObject({
      code: 'daily_limit_reached',
      details: { retry_after_s: 49_155, rate_limit: { limit: 50, remaining: 0, reset_s: 49_155 } },
    }));

  it('admit mail to the simulator when the day is used up, but not when the minute is', () => {
    expect(refusalOfOneMore(used({ dayUsed: 50 }), false, at)).toBeUndefined();
    expect(refusalOfOneMore(used({ minuteUsed: 60 }), false, at)).toMatchObject({ code: 'minute_limit_reached' });
  });

  it('refuse mail to strangers through the shared sender at its own limit', () => {
    const shared = { used: 50, limit: 50 };
    expect(refusalOfOneMore(used({ shared: { used: 49, limit: 50 }, dayLimit: 1_000 }), true, at)).toBeUndefined();
    expect(refusalOfOneMore(used({ shared, dayLimit: 1_000 }), true, at)).toMatchObject({
      code: 'daily_limit_reached',
      message: expect.stringContaining('50 messages a day through the shared sender'),
      details: { retry_after_s: 49_155, rate_limit: { limit: 50, remaining: 0, reset_s: 49_155 } },
    });
    expect(rateLimitOf(used({ shared, dayLimit: 1_000 }), at)).toMatchObject({ limit: 50, remaining: 0 });
  });

  it('are reported as the one with the least remaining', () => {
    expect(rateLimitOf(used({ minuteUsed: 1, dayUsed: 1 }), at)).toEqual({ limit: 50, remaining: 49, reset_s: 49_155 });
    expect(rateLimitOf(used({ minuteUsed: 58, dayUsed: 1 }), at)).toEqual({ limit: 60, remaining: 2, reset_s: 15 });
  });

  it('never report less than zero remaining, even after the limit was lowered', () =>
    expect(rateLimitOf(used({ dayUsed: 80 }), at).remaining).toBe(0));
});

function used(changes: Partial<Usage>): Usage {
  return { minuteUsed: 0, minuteLimit: 60, dayUsed: 0, dayLimit: 50, ...changes };
}
