import { describe, expect, it } from '@jest/globals';
import { isFirstOfNetwork, waitBeforeAttempt } from './login-limit.js';

const NONE = { ofSource: 0, sinceOldestS: null, ofWideNetwork: 0, firsts: 0, others: 0, sinceLatestOtherS: null };
const LATER = { ...NONE, ofWideNetwork: 3 };

describe('the wait before a login attempt', () => {
  it('is zero without failures, and for the first ten of a source', () => {
    expect(waitBeforeAttempt(NONE)).toBe(0);
    expect(waitBeforeAttempt({ ...LATER, ofSource: 9, others: 9, sinceLatestOtherS: 0 })).toBe(0);
  });

  it('lasts for the eleventh of a source until the oldest failure is fifteen minutes old', () => {
    expect(waitBeforeAttempt({ ...LATER, ofSource: 10, sinceOldestS: 60 })).toBe(840);
    expect(waitBeforeAttempt({ ...LATER, ofSource: 10, sinceOldestS: 901 })).toBe(0);
  });

  it('doubles with each further failure of unknown devices on the account, up to thirty seconds', () => {
    const after = (others: number) => waitBeforeAttempt({ ...LATER, others, sinceLatestOtherS: 0 });
    expect([10, 11, 12, 13, 14, 15, 400].map(after)).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('ends when it has elapsed since the latest failure', () => {
    expect(waitBeforeAttempt({ ...LATER, others: 12, sinceLatestOtherS: 3 })).toBe(1);
    expect(waitBeforeAttempt({ ...LATER, others: 12, sinceLatestOtherS: 4 })).toBe(0);
  });

  it('is zero for the first three attempts of a network, whatever others do', () => {
    const pressed = { ...NONE, others: 400, sinceLatestOtherS: 0 };
    expect([0, 1, 2, 3].map(ofWideNetwork => waitBeforeAttempt({ ...pressed, ofWideNetwork }))).toEqual([0, 0, 0, 30]);
  });

  it('applies to new networks as well after sixty first attempts on the account', () => {
    const pressed = { ...NONE, others: 400, sinceLatestOtherS: 0 };
    expect(waitBeforeAttempt({ ...pressed, firsts: 59 })).toBe(0);
    expect(waitBeforeAttempt({ ...pressed, firsts: 60 })).toBe(30);
  });
});

it('an attempt of a known device or a session is not one of the first of a network', () =>
  expect(isFirstOfNetwork({ ...NONE, ofWideNetwork: null })).toBe(false));
