import { EMAIL_REFUSALS } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';

export type EmailRefusalCode = keyof typeof EMAIL_REFUSALS;

/** A refusal of the email API; its message is shown to the client. */
export const emailRefusal = (
  code: EmailRefusalCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Refusal<EmailRefusalCode> => new Refusal(code, message, details);

/** 400: the message names the field and the problem. */
export const invalidEmail = (field: string, problem: string): Refusal<EmailRefusalCode> =>
  emailRefusal('invalid_email', `${field}: ${problem}`);

const RELAY_RETRY_AFTER_S = 5;

/** 503: no relay accepted the message, so that the client can retry the request. */
export const relayUnavailable = ({ message }: { readonly message: string }): Refusal<EmailRefusalCode> =>
  emailRefusal('relay_unavailable', message.replace(/^Not sent: /, ''), { retry_after_s: RELAY_RETRY_AFTER_S });

/** 503: the deadline passed before the request was processed; nothing was or will be sent. */
export const deadlinePassed = (): Refusal<EmailRefusalCode> =>
  emailRefusal('deadline_passed', 'the deadline of this request passed before it was processed; nothing was sent', {
    retry_after_s: 2,
  });

/** 503: the message is in progress and has no record yet. */
export const stillInProgress = (emailId: string): Refusal<EmailRefusalCode> =>
  emailRefusal('outcome_unknown', 'this message is still being sent; its outcome is not known yet', {
    email_id: emailId,
    retry_after_s: 1,
  });
