/** New passwords: with the present password, or with a mailed link. Both end all sessions of the user. */
export abstract class Passwords {
  /** @returns false, without a change, if `verified` is no longer the hash of the password. */
  abstract replace(userId: string, verified: string, passwordHash: string): Promise<boolean>;
  /** Stores the request and its event, unless the address or network has exceeded its limit. */
  abstract request(email: string, network: string): Promise<void>;
  /** Replaces the token and stores its hash. @returns the recipient and the token; undefined if no mail is to be sent. */
  abstract issueToken(requestId: string): Promise<{ readonly email: string; readonly token: string } | undefined>;
  /** The user of a token that has neither expired nor been used. */
  abstract userOf(token: string): Promise<string | undefined>;
  /**
   * Uses the token and replaces the password in one transaction.
   * @returns false, without a change, if the token was used in the meantime.
   */
  abstract confirm(userId: string, token: string, passwordHash: string): Promise<boolean>;
}
