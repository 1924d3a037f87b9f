import { Refusal } from '@postern/contracts/refusal';

/** Failed logins allowed within the window, per account and per client address. */
export const LOGIN_LIMITS = { windowS: 15 * 60, perAccount: 10, perAddress: 50 } as const;

/** Refuses without verifying the password, so that guessing is slow and costs no hashing. */
export const tooManyAttempts = (): Refusal =>
  new Refusal('too_many_attempts', 'too many failed logins; try again later', { retry_after_s: LOGIN_LIMITS.windowS });
