import { describe, expect, it } from '@jest/globals';
import { waitBeforeAttempt } from './login-limit.js';

const NONE = { ofSource: 0, sinceOldestS: null, ofUnknownDevices: 0, sinceLatestS: null };

describe('the wait before a login attempt', () => {
  it('is zero without failures, and for the first ten of a source', () => {
    expect(waitBeforeAttempt(NONE)).toBe(0);
    expect(waitBeforeAttempt({ ...NONE, ofSource: 9, ofUnknownDevices: 9, sinceLatestS: 0 })).toBe(0);
  });

  it('lasts for the eleventh of a source until the oldest failure is fifteen minutes old', () => {
    expect(waitBeforeAttempt({ ...NONE, ofSource: 10, sinceOldestS: 60 })).toBe(840);
    expect(waitBeforeAttempt({ ...NONE, ofSource: 10, sinceOldestS: 901 })).toBe(0);
  });

  it('doubles with each failure of unknown devices on the account, up to thirty seconds', () => {
    const after = (ofUnknownDevices: number) => waitBeforeAttempt({ ...NONE, ofUnknownDevices, sinceLatestS: 0 });
    expect([10, 11, 12, 13, 14, 15, 400].map(after)).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('ends when it has elapsed since the latest failure', () => {
    expect(waitBeforeAttempt({ ...NONE, ofUnknownDevices: 12, sinceLatestS: 3 })).toBe(1);
    expect(waitBeforeAttempt({ ...NONE, ofUnknownDevices: 12, sinceLatestS: 4 })).toBe(0);
  });
});
