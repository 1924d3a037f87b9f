import type { EventMetadata } from '@postern/event-sourcing';
import type { EmailFacts } from '../emails/email.js';
import type { EmailBody } from '../emails/email-copies.js';
import type { CopyAnswer } from '../relay/hand-over.js';

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

/**
 * Copies that a relay deferred while it accepted others of the same message. Ends of claims are written as soon as the
 * database is available, and do nothing when the claim was lost.
 */
export abstract class DeferredCopies {
  /** Claims due copies, for longer than any attempt can take. After an error, no copy stays claimed. */
  abstract claimDue(now: Date, atMost: number): Promise<readonly ClaimedCopy[]>;
  /** Claims copies whose attempt was cut off by a crash: it is unknown whether the relay accepted them. */
  abstract claimCutOff(now: Date, atMost: number): Promise<readonly ClaimedCopy[]>;
  /** @throws UnreadableBody */
  abstract messageOf(copy: ClaimedCopy): Promise<DeferredMessage>;
  /** Ends a claim under which nothing was handed over. It does not count as an attempt. */
  abstract release(copy: ClaimedCopy, dueAt: Date): Promise<void>;
  /** Records the outcome of an attempt and schedules the next one. */
  abstract settle(copy: ClaimedCopy, answer: CopyAnswer, at: Date): Promise<void>;
}
