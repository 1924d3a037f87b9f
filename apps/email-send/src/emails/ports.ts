import type { RateLimit } from '../email-services/email-limits.js';
import type { ConcludedEmail, ConcludingCommand, EmailEvent, EmailFacts, EmailRecord, Evidence } from './email.js';
import type { EmailBody } from './email-copies.js';

/** The service of a send request, its limits, and what identifies a repetition of the request. */
export interface AdmissionContext {
  readonly serviceId: string;
  /** Chosen before the first attempt, so that the same request can be repeated. */
  readonly emailId: string;
  readonly perMinuteLimit: number;
  readonly dailyLimit: number;
  /** Messages per UTC day through the shared sender to recipients that are not verified. */
  readonly sharedDailyLimit: number;
  /** Identifies the message of the request: the order of keys and white space do not matter. */
  readonly fingerprint: string;
  readonly idempotencyKey?: string | undefined;
  readonly at: Date;
  /** When the client stops waiting; no work starts after it. */
  readonly answerBy: Date;
}

/** A request to admit one message. */
export interface AdmissionRequest extends AdmissionContext {
  readonly facts: EmailFacts;
  /** The events that record the admission. */
  readonly events: readonly EmailEvent[];
  readonly body: EmailBody;
}

/** The stored answer to an earlier identical request. `rateLimit` is the current value. */
export interface RepeatedAnswer {
  readonly kind: 'repeated';
  readonly record: EmailRecord;
  /** False for a retry of this very request whose first answer was lost. */
  readonly replayed: boolean;
  readonly rateLimit: RateLimit;
}

export type Admission = { readonly kind: 'admitted'; readonly rateLimit: RateLimit } | RepeatedAnswer;

/** How the hand-over of an admitted message ended. */
export interface Conclusion {
  readonly facts: EmailFacts;
  readonly command: ConcludingCommand;
  /** Released when the message was not handed over, so that a retry is a new request. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Stores messages. All changes to one message are one transaction; concurrent requests share transactions, and a
 * request that is refused or fails does not affect the others.
 */
export abstract class EmailRepository {
  /**
   * Claims the idempotency key, counts against the limits, and stores acceptance, body and open request. Throws refusals
   * of limits and of repeated requests, having written nothing; after any other error the message may be admitted.
   */
  abstract admit(request: AdmissionRequest): Promise<Admission>;
  /**
   * Finds the answer to the request that this one repeats; undefined when there is none. For requests that would be
   * refused for another reason. Throws the refusals of repeated requests.
   */
  abstract findRepeated(context: AdmissionContext): Promise<RepeatedAnswer | undefined>;
  /**
   * Decides and stores the outcome, the answer and the copies to retry; a message that was not handed over is not counted.
   * Returns the stored outcome, which another writer may have recorded; undefined for a message never admitted.
   */
  abstract conclude(conclusion: Conclusion): Promise<ConcludedEmail | undefined>;
  /**
   * Ends a message after `admit` failed with `cause`, if this very request may have admitted it. A message that an earlier
   * attempt under the same id admitted stays, because the process of that attempt may have handed it over.
   */
  abstract withdraw(request: AdmissionRequest, cause: unknown, at: string): Promise<void>;
  /** The record of a concluded message of this service; undefined for any other id. */
  abstract record(serviceId: string, emailId: string): Promise<EmailRecord | undefined>;
  /** Whether a message of this service is admitted and has no outcome yet. */
  abstract isInProgress(serviceId: string, emailId: string): Promise<boolean>;
  /** The client received the answer: from now on the same request is a new message. */
  abstract answerReceived(emailId: string): void;
}

/** Evidence about a copy of one message. */
export type EmailEvidence = Evidence & { readonly emailId: string };
