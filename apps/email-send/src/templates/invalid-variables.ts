import { Refusal } from '@postern/contracts/refusal';

/** 400 of the email API: the message names the field and the problem. */
export const invalidVariables = (field: string, problem: string): Refusal<'invalid_email'> =>
  new Refusal('invalid_email', `${field}: ${problem}`);
