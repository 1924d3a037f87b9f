/** The source of attempts from devices that have not signed in to the account before. */
export const UNKNOWN_DEVICE = 'unknown';

/** The source of passwords that are tried with a session. */
export const SESSION = 'session';

/** One attempt to verify a password. */
export interface LoginAttempt {
  /** The address of the account, which need not exist. */
  readonly account: string;
  /** The client's IPv4 address or IPv6 /64. */
  readonly network: string;
  /** The /24 of an IPv4 address or the /48 of an IPv6 address, which one stranger can own as a whole. */
  readonly wideNetwork: string;
  /** `UNKNOWN_DEVICE`, `SESSION`, or the id of a device that has signed in to the account before. */
  readonly source: string;
}
