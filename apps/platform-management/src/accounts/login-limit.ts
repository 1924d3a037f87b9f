import { Refusal } from '@postern/contracts/refusal';

/** Wrong passwords are allowed this often within the window, per account and (more generously) per client address. */
export const LOGIN_LIMITS = { windowS: 15 * 60, perAccount: 10, perAddress: 50 } as const;

/** The answer to guessing; the password was not even looked at, so that guessing stays slow and costs no hashing. */
export const tooManyAttempts = (): Refusal =>
  new Refusal('too_many_attempts', 'too many failed logins; try again later', { retry_after_s: LOGIN_LIMITS.windowS });
