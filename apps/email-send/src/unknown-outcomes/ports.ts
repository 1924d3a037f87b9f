import type { Evidence } from '../emails/email-evidence.js';

/** Evidence about a copy of one message. */
export type EmailEvidence = Evidence & { readonly emailId: string };

/** Messages whose outcome is unknown until evidence arrives. */
export abstract class UnresolvedEmails {
  /** Sets messages with an unknown outcome to `sent`; ignores all others. The same evidence may come repeatedly. */
  abstract confirm(evidence: readonly EmailEvidence[]): Promise<void>;
}
