import { Refusal } from '@postern/contracts';

/** Wrong passwords are allowed this often within the window, per account and (more generously) per client address. */
export const LOGIN_WINDOW_S = 15 * 60;
export const FAILURES_PER_ACCOUNT = 10;
export const FAILURES_PER_ADDRESS = 50;

export interface RecentFailures {
  readonly ofAccount: number;
  readonly ofAddress: number;
}

/** Refuses a login before its password is even looked at, so that guessing stays slow and costs us no hashing. */
export const refuseGuessing = ({ ofAccount, ofAddress }: RecentFailures): void => {
  if (ofAccount < FAILURES_PER_ACCOUNT && ofAddress < FAILURES_PER_ADDRESS) return;
  throw new Refusal('too_many_attempts', 'too many failed logins; try again later', { retry_after_s: LOGIN_WINDOW_S });
};
