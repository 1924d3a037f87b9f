import { EMAIL_REFUSALS } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';

export type EmailRefusalCode = (typeof EMAIL_REFUSALS)[number];

/** A refusal of the email API; its message is read by the API's caller. */
export const emailRefusal = (
  code: EmailRefusalCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Refusal<EmailRefusalCode> => new Refusal(code, message, details);

/** 400: the message names the field and what is wrong with it. */
export const invalidEmail = (field: string, problem: string): Refusal<EmailRefusalCode> =>
  emailRefusal('invalid_email', `${field}: ${problem}`);
