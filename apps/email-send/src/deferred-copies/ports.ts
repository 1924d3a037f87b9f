import type { EventMetadata } from '@postern/event-sourcing';
import type { EmailFacts } from '../emails/email.js';
import type { EmailBody } from '../emails/email-copies.js';
import type { CopyAnswer } from '../emails/hand-over.js';

/** A deferred copy, claimed for one attempt. */
export interface ClaimedCopy {
  readonly facts: EmailFacts;
  /** The request that created the message; every attempt continues its trace. */
  readonly origin: EventMetadata;
  readonly body: EmailBody;
  readonly recipientIndex: number;
  /** Attempts after the hand-over, without this one. */
  readonly tries: number;
  readonly deadline: Date;
  /** Fencing token of this attempt: its outcome is ignored once the copy was claimed again. */
  readonly claim: string;
}

/** Copies that a relay deferred while it accepted others of the same message. */
export abstract class DeferredCopies {
  /** Claims due copies, for longer than any attempt can take. */
  abstract claimDue(now: Date, atMost: number): Promise<readonly ClaimedCopy[]>;
  /** Claims copies whose attempt was cut off by a crash: it is unknown whether the relay accepted them. */
  abstract claimCutOff(now: Date, atMost: number): Promise<readonly ClaimedCopy[]>;
  /** Records the outcome of an attempt and schedules the next one; does nothing when the claim was lost. */
  abstract settle(copy: ClaimedCopy, answer: CopyAnswer, at: Date): Promise<void>;
}
