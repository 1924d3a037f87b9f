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
