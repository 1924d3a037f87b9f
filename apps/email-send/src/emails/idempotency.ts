import type { Refusal } from '@postern/contracts';
import { type EmailRefusalCode, emailRefusal } from './email-refusals.js';

/** How long a key is remembered for its email service. */
export const IDEMPOTENCY_HOURS = 24;

/** What tells a repeated request from another one. */
export interface RequestIdentity {
  /** Hash of the message as JSON values: order of keys and white space do not matter. */
  readonly fingerprint: string;
  /** Hash of the body's bytes, as the release before fingerprints kept it. */
  readonly bodyHash: string;
}

/** An earlier request under the same key of the same email service. */
export interface EarlierRequest {
  readonly emailId: string;
  readonly bodyHash: string;
  /** Null where the release before fingerprints claimed the key. */
  readonly fingerprint: string | null;
  /** False while its message is under way. */
  readonly isAnswered: boolean;
  /** When its client stopped waiting. */
  readonly answerBy?: Date | null;
}

/** Clocks of two machines may differ by this; a retry comes no earlier than a second after its answer. */
const CLOCKS_MAY_DIFFER_MS = 2_000;
/** A retry within ten minutes of an answer "outcome unknown" is recognised by its body; one more for slow clients. */
const RECOGNISED_FOR_MS = 11 * 60_000;

/** The deadlines of earlier requests that were answered "outcome unknown" and are still recognised by their body. */
export const recognisedDeadlines = (now: Date): { readonly after: Date; readonly until: Date } => ({
  after: new Date(now.getTime() - RECOGNISED_FOR_MS),
  until: new Date(now.getTime() + CLOCKS_MAY_DIFFER_MS),
});

/** 503: the message exists, and nobody can say yet what becomes of it. */
export const outcomeUnknown = (emailId: string): Refusal<EmailRefusalCode> =>
  emailRefusal(
    'outcome_unknown',
    `the outcome of this message is unknown: it may have been sent. GET /emails/${emailId} tells what became of it; ` +
      'the same request again gets its record and sends nothing twice',
    { email_id: emailId, retry_after_s: 2 },
  );

/** The refusal that a request meets because of an earlier one, or undefined where the earlier answer is given again. */
export function refusalOfRepeat(
  earlier: EarlierRequest,
  { fingerprint, bodyHash }: RequestIdentity,
  now: Date,
): Refusal<EmailRefusalCode> | undefined {
  if (earlier.fingerprint !== fingerprint && earlier.bodyHash !== bodyHash) {
    return emailRefusal('idempotency_key_reused', 'this Idempotency-Key was used with another body');
  }
  if (earlier.isAnswered) return undefined;
  if (earlier.answerBy && earlier.answerBy <= recognisedDeadlines(now).until) return outcomeUnknown(earlier.emailId);
  return emailRefusal('idempotency_key_in_flight', 'the request with this Idempotency-Key is still under way', {
    retry_after_s: 1,
  });
}
