import { EMAIL_REFUSALS } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';

export type EmailRefusalCode = keyof typeof EMAIL_REFUSALS;

/** A refusal of the email API; its message is read by the API's caller. */
export const emailRefusal = (
  code: EmailRefusalCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Refusal<EmailRefusalCode> => new Refusal(code, message, details);

/** 400: the message names the field and what is wrong with it. */
export const invalidEmail = (field: string, problem: string): Refusal<EmailRefusalCode> =>
  emailRefusal('invalid_email', `${field}: ${problem}`);

const RELAY_RETRY_AFTER_S = 5;

/** 503: no relay took the message, so that a retry of the whole request is safe. */
export const relayUnavailable = ({ message }: { readonly message: string }): Refusal<EmailRefusalCode> =>
  emailRefusal('relay_unavailable', message.replace(/^Not handed over: /, ''), { retry_after_s: RELAY_RETRY_AFTER_S });

/** 503: the client's deadline passed before anything was begun; nothing was or will be sent. */
export const deadlinePassed = (): Refusal<EmailRefusalCode> =>
  emailRefusal('deadline_passed', 'the time for this request was over before it could be begun; nothing was sent', {
    retry_after_s: 2,
  });

/** 503: the record is not there yet, but the message is. */
export const stillInProgress = (emailId: string): Refusal<EmailRefusalCode> =>
  emailRefusal('outcome_unknown', 'this message is still under way; its outcome is not known yet', {
    email_id: emailId,
    retry_after_s: 1,
  });
