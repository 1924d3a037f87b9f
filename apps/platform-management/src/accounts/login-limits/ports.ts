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

/** Limits password guessing without locking accounts or addresses. */
export abstract class LoginGuard {
  /**
   * Records the attempt as failed, then runs `verify`; a result clears the failures of the attempt's source.
   * @throws the refusal `too_many_attempts` without running `verify`.
   */
  abstract attempt<Proof>(attempt: LoginAttempt, verify: () => Promise<Proof | undefined>): Promise<Proof | undefined>;
  /** Limits the passwords that are tried with a session, separately from logins. */
  abstract attemptInSession<Proof>(
    account: string,
    verify: () => Promise<Proof | undefined>,
  ): Promise<Proof | undefined>;
}

/** Failed logins of the last minutes, shared by all replicas. */
export abstract class LoginFailures {
  /**
   * Records a failure before the password is verified, unless there are too many. Attempts on one account are
   * serialised, so that concurrent guesses are all counted. @returns the seconds to wait if it was not recorded, or 0.
   */
  abstract recordAttempt(attempt: LoginAttempt): Promise<number>;
  /** Whether a network has at least `failures` failures over all accounts within the window. */
  abstract exceeds(network: string, failures: number, windowS: number): Promise<boolean>;
  /** Deletes the failures of a source after a correct password; failures of other sources stay. */
  abstract clear(attempt: LoginAttempt): Promise<void>;
}
