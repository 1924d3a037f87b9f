import { type EmailRefusal, Refusal, type ReplyOf, type submitEmail } from '@postern/contracts';
import { OutcomeUnknown } from '../infrastructure/http/errors/outcome-unknown.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { sentenceOf } from '../infrastructure/http/errors/sentences.js';

/** An SMTP reply: its code, its enhanced code (RFC 3463) and its text. */
export class SmtpReply extends Error {
  override readonly name = 'SmtpReply';

  constructor(
    readonly responseCode: number,
    readonly enhancedCode: string,
    text: string,
  ) {
    super(`${enhancedCode} ${text}`);
  }
}

/** SMTP codes for the refusals of POST /emails. A 4xx reply requests a retry, like a 429 and a 5xx in HTTP. */
const REPLIES: Readonly<Record<EmailRefusal, readonly [code: number, enhancedCode: string]>> = {
  api_key_invalid: [535, '5.7.8'],
  service_disabled: [550, '5.7.13'],
  invalid_email: [554, '5.6.0'],
  recipient_not_verified: [550, '5.7.1'],
  daily_limit_reached: [450, '4.7.28'],
  minute_limit_reached: [450, '4.7.28'],
  idempotency_key_reused: [554, '5.6.0'],
  idempotency_key_in_flight: [451, '4.3.0'],
  relay_unavailable: [451, '4.4.1'],
  outcome_unknown: [451, '4.3.0'],
  deadline_passed: [451, '4.3.0'],
  email_not_found: [554, '5.6.0'],
};

const TEMPORARY = new SmtpReply(451, '4.3.0', 'Service temporarily unavailable. Try again.');

/**
 * The reply to a message: 250 if the relay accepted it for a recipient, otherwise 554 with the message of the record.
 */
export const replyToEmail = ({ email, replayed, message_id }: ReplyOf<typeof submitEmail>): SmtpReply => {
  const messageId = message_id === undefined ? '' : `, Message-ID <${message_id}>`;
  const text = `${email.message} (id ${email.id}${messageId}${replayed ? ', replayed' : ''})`;
  return email.status === 'sent'
    ? new SmtpReply(250, '2.0.0', oneLine(text))
    : new SmtpReply(554, '5.0.0', oneLine(text));
};

/** The reply to an error, with the message of the HTTP API. */
export const replyToError = (error: unknown): SmtpReply => {
  if (error instanceof SmtpReply) return error;
  if (error instanceof OutcomeUnknown) {
    return new SmtpReply(
      451,
      '4.3.0',
      `The outcome of message ${error.emailId} is unknown. Send the same message again.`,
    );
  }
  if (error instanceof Problem) return new SmtpReply(421, '4.7.0', error.message);
  const known =
    Refusal.is(error) && Object.hasOwn(REPLIES, error.code) ? REPLIES[error.code as EmailRefusal] : undefined;
  return known && Refusal.is(error) ? new SmtpReply(...known, oneLine(sentenceOf(error.message))) : TEMPORARY;
};

/** Printable ASCII without line breaks, truncated to the size of a reply line (RFC 5321 §4.5.3.1.5). */
const oneLine = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]+/g, '?')
    .replace(/\s+/g, ' ')
    .slice(0, 480);
