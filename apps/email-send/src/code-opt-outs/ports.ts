/** Hashes of mailboxes under a key of this installation, the same for all spellings of an address. */
export abstract class MailboxHashes {
  /** 32 bytes that stay the same when the encryption keys are rotated. */
  abstract hashOf(address: string): Promise<Buffer>;
}

/** Links with which the recipient of a code or an invitation refuses further ones. */
export abstract class OptOutLinks {
  /** Undefined for a mailbox whose owner refuses them, to which nothing may be sent. */
  abstract urlFor(address: string): Promise<string | undefined>;
}

/** Mailboxes whose owners refuse verification codes and invitations. */
export abstract class CodeOptOuts {
  abstract has(mailboxHash: Buffer): Promise<boolean>;
  /** Adds a mailbox; does nothing if it is on the list. */
  abstract add(mailboxHash: Buffer, at: Date): Promise<void>;
  /** False if the mailbox was not on the list. */
  abstract remove(mailboxHash: Buffer): Promise<boolean>;
  abstract count(): Promise<number>;
}
