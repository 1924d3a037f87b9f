import type { EventMetadata } from '@postern/event-sourcing';
import type { EmailFacts } from '../emails/email.js';
import type { EmailBody } from '../emails/email-copies.js';

/** A deferred copy, claimed for one attempt. */
export interface ClaimedCopy {
  readonly emailId: string;
  readonly recipientIndex: number;
  /** Attempts after the hand-over, without this one. */
  readonly tries: number;
  readonly deadline: Date;
  /** Fencing token of this attempt: its outcome is ignored once the copy was claimed again. */
  readonly claim: string;
}

/** The message of a deferred copy. */
export interface DeferredMessage {
  readonly facts: EmailFacts;
  /** The request that created the message; every attempt continues its trace. */
  readonly origin: EventMetadata;
  readonly body: EmailBody;
}

/** The stored body is missing, was changed, or its key is not configured. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
}
