import type { Mailbox } from '@postern/mail';
import type { VerifiedDomain } from '../api-keys/ports.js';
import type { ConcludedEmail, ConcludingCommand, EmailEvent, EmailFacts } from './email.js';
import type { CopySettings, EmailBody, MailCopy } from './email-copies.js';
import type { RateLimit } from './email-limits.js';
import type { EmailRecord } from './email-record.js';
import type { HandOverAnswer } from './hand-over.js';
import type { RequestIdentity } from './idempotency.js';

/** The upstream relays, tried in turn. Failures are returned: a relay never causes an exception. */
export abstract class MailRelay {
  /**
   * Ends within its own deadline and before `answerBy`. A copy that cannot start in time is `unreachable`; a copy whose
   * data was started without an answer is `unknown`, with the answer that a relay gives `later`.
   */
  abstract handOver(copy: MailCopy, answerBy?: Date): Promise<HandOverAnswer>;
  /** Whether a relay accepts non-ASCII addresses (RFC 6531). */
  abstract offersSmtpUtf8(): Promise<boolean>;
}

/** The service of a send request, its limits, and what identifies a repetition of the request. */
export interface AdmissionContext {
  readonly serviceId: string;
  /** Chosen before the first attempt, so that the same request can be repeated. */
  readonly emailId: string;
  readonly perMinuteLimit: number;
  readonly dailyLimit: number;
  /** Messages per UTC day through the shared sender to recipients that are not verified. */
  readonly sharedDailyLimit: number;
  readonly identity: RequestIdentity;
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

/** The operator's settings for sending. */
export abstract class SendingSettings {
  /** The shared sender of sandbox and fallback mail, and its domain, which is signed for when a key is configured. */
  abstract readonly sandboxSender: Mailbox;
  abstract readonly sandboxDomain: VerifiedDomain;
  /** Addresses at this domain are always verified and never counted. */
  abstract readonly simulatorDomain: string | undefined;
  abstract readonly copies: CopySettings;
  /** How long the body of a final message is kept. */
  abstract readonly bodyRetentionDays: number;
}
