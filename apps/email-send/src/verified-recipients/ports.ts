/** Creates verification codes and limits how many a service may mail. */
export abstract class VerificationCodes {
  /** Six unpredictable digits. */
  abstract newCode(): string;
  /** Keyed hashes of a code for one recipient, one per encryption key; a new code is stored under the first. */
  abstract hashesOf(recipientId: string, code: string): readonly [string, ...string[]];
  /** Counts a code mail; refuses with `too_many_codes` above a limit of its service, workspace or mailbox. */
  abstract reserve(mail: CodeMail): Promise<void>;
  /** Undoes `reserve` for a mail that was not sent. */
  abstract release(mail: CodeMail): Promise<void>;
}

/** A mail with a code, as it is counted. */
export interface CodeMail {
  readonly serviceId: string;
  readonly workspaceId: string;
  /** Of the recipient, over all services and spellings of the address. */
  readonly mailboxHash: Buffer;
  readonly at: Date;
}
