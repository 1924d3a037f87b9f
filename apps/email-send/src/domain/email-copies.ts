import { type DkimSigner, type Mailbox, messageBytes, prepareMessage } from '@postern/mail';
import type { EmailFacts } from './email.js';
import type { Recipient } from './email-draft.js';

/** What a message says beyond its events; kept until the message is final and its retention is over. */
export interface EmailBody {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly html?: string;
  readonly text?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly openTracking: boolean;
  readonly clickTracking: boolean;
}

/** One recipient's copy, signed and ready. */
export interface MailCopy {
  readonly returnPath: string;
  readonly recipient: string;
  readonly bytes: Buffer;
  /** What notifications about this copy are known by (RFC 3461 ENVID). */
  readonly envelopeId: string;
  readonly needsSmtpUtf8: boolean;
}
