import type { Refusal, RequestOf, sendEmail } from '@postern/contracts';
import { type EmailRefusalCode, emailRefusal } from './email-refusals.js';

/** How long an idempotency key is valid. */
export const IDEMPOTENCY_HOURS = 24;

/** An earlier request under the same key of the same email service. */
export interface EarlierRequest {
  readonly emailId: string;
  readonly fingerprint: string;
  /** False while its message is in progress. */
  readonly isAnswered: boolean;
  /** When its client stopped waiting. */
  readonly answerBy?: Date | null;
}

/** The clocks of two machines may differ by this; a retry comes at least a second after its answer. */
const CLOCKS_MAY_DIFFER_MS = 2_000;
/** A retry is recognised by its body for ten minutes after the answer "outcome unknown", plus one for slow clients. */
const RECOGNISED_FOR_MS = 11 * 60_000;

/** The deadlines of earlier requests with the answer "outcome unknown" that are still recognised by their body. */
export const recognisedDeadlines = (now: Date): { readonly after: Date; readonly until: Date } => ({
  after: new Date(now.getTime() - RECOGNISED_FOR_MS),
  until: new Date(now.getTime() + CLOCKS_MAY_DIFFER_MS),
});

/** 503: the message exists, and its outcome is not known yet. */
export const outcomeUnknown = (emailId: string): Refusal<EmailRefusalCode> =>
  emailRefusal(
    'outcome_unknown',
    `the outcome of this message is unknown: it may have been sent. GET /emails/${emailId} returns it once it is known; ` +
      'repeating the same request returns its record and sends nothing twice',
    { email_id: emailId, retry_after_s: 2 },
  );

/** The refusal of a repeated request; undefined when the earlier answer is returned again. */
export function refusalOfRepeat(
  earlier: EarlierRequest,
  fingerprint: string,
  now: Date,
): Refusal<EmailRefusalCode> | undefined {
  if (earlier.fingerprint !== fingerprint) {
    return emailRefusal('idempotency_key_reused', 'this Idempotency-Key was already used with a different body');
  }
  if (earlier.isAnswered) return undefined;
  if (earlier.answerBy && earlier.answerBy <= recognisedDeadlines(now).until) return outcomeUnknown(earlier.emailId);
  return emailRefusal('idempotency_key_in_flight', 'the request with this Idempotency-Key is still in progress', {
    retry_after_s: 1,
  });
}

/** A text that is equal for equal messages: order of keys, white space and omitted empty fields make no difference. */
export const canonicalMessage = (message: RequestOf<typeof sendEmail>['email']): string => {
  const { from, to, cc, bcc, reply_to = null, subject = null, message: html = null, text = null, headers } = message;
  const named = Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const { attachments, in_reply_to, references, list_unsubscribe, tracking, tags, template } = message;
  const more = { attachments, in_reply_to, references, list_unsubscribe, tracking, tags, template };
  const given = Object.values(more).some(field => field !== undefined) ? [canonicalValue(more)] : [];
  return JSON.stringify([from, to, cc, bcc, reply_to, subject, html, text, named, ...given]);
};

/** The value with the keys of its objects sorted. */
const canonicalValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonicalValue);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return entries
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => [name, canonicalValue(field)]);
};
