import type { EmailFacts } from '../emails/email.js';
import type { EmailBody } from '../emails/email-copies.js';

/** A message, with its body until its retention is over. */
export interface KeptEmail {
  readonly facts: EmailFacts;
  readonly body: EmailBody | undefined;
}

/** The stored bodies of messages. */
export abstract class KeptBodies {
  /** Undefined if there is no such message. */
  abstract find(emailId: string): Promise<KeptEmail | undefined>;
}
