import { Refusal } from '@postern/contracts/refusal';

/**
 * Each source can have `perSource` failures on an account within the window. Of unknown devices, the first
 * `firstOfNetwork` attempts of each wide network are verified at once, up to `firstOfAllNetworks` on the account, so that
 * guesses of others do not keep a user out. All further attempts of unknown devices together wait after each failure beyond
 * `free`: one second, then twice as long each time, up to `longestWaitS`.
 */
export const LOGIN_LIMITS = {
  windowS: 15 * 60,
  perSource: 10,
  firstOfNetwork: 3,
  firstOfAllNetworks: 60,
  free: 10,
  longestWaitS: 30,
} as const;

/** Failures of a network over all accounts within the window, after which each of its attempts takes `pauseMs` longer. */
export const NETWORK_LIMITS = { failures: 50, pauseMs: 400 } as const;

/** Failures on one account within the window. */
export interface RecentFailures {
  readonly ofSource: number;
  /** Seconds since the failure that must leave the window before the source can try again. */
  readonly sinceOldestS: number | null;
  /** Of all unknown devices in the wide network of the attempt; null for a known device or a session. */
  readonly ofWideNetwork: number | null;
  /** Of unknown devices, among the first of their wide networks. */
  readonly firsts: number;
  /** The other failures of unknown devices. */
  readonly others: number;
  readonly sinceLatestOtherS: number | null;
}

/** Whether an attempt is one of the first of its network, which do not wait for others. */
export const isFirstOfNetwork = ({ ofWideNetwork, firsts }: RecentFailures): boolean =>
  ofWideNetwork !== null && ofWideNetwork < LOGIN_LIMITS.firstOfNetwork && firsts < LOGIN_LIMITS.firstOfAllNetworks;

/** Seconds until the next attempt is allowed; 0 when it is allowed now. */
export const waitBeforeAttempt = (failures: RecentFailures): number => {
  const { windowS, perSource, free, longestWaitS } = LOGIN_LIMITS;
  const sourceWaitS = failures.ofSource < perSource ? 0 : windowS - (failures.sinceOldestS ?? 0);
  const excess = isFirstOfNetwork(failures) ? -1 : failures.others - free;
  const delayS = excess < 0 ? 0 : Math.min(longestWaitS, 2 ** excess);
  return Math.max(0, sourceWaitS, delayS - (failures.sinceLatestOtherS ?? delayS));
};

/** The refusal of an attempt whose password is not verified, so that guessing is slow and costs no hashing. */
export const tooManyAttempts = (waitS: number): Refusal => {
  const retryAfterS = Math.max(1, Math.ceil(waitS));
  const message = `too many failed logins; try again in ${retryAfterS} seconds`;
  return new Refusal('too_many_attempts', message, { retry_after_s: retryAfterS });
};
