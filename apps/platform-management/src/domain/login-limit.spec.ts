import { describe, expect, it } from '@jest/globals';
import { FAILURES_PER_ACCOUNT, FAILURES_PER_ADDRESS, refuseGuessing } from './login-limit.js';

describe('logging in', () => {
  it('goes on after a few wrong passwords', () =>
    expect(() =>
      refuseGuessing({ ofAccount: FAILURES_PER_ACCOUNT - 1, ofAddress: FAILURES_PER_ADDRESS - 1 }),
    ).not.toThrow());

  it('is refused for an account whose password is being guessed', () =>
    expect(() => refuseGuessing({ ofAccount: FAILURES_PER_ACCOUNT, ofAddress: 0 })).toThrow('too many failed logins'));

  it('is refused for an address that tries one account after the other', () =>
    expect(() => refuseGuessing({ ofAccount: 0, ofAddress: FAILURES_PER_ADDRESS })).toThrow('too many failed logins'));
});
