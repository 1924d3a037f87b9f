/** A message may have been sent, and no service confirmed the outcome before the client's deadline. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';

  constructor(
    readonly emailId: string,
    options?: ErrorOptions,
  ) {
    super(`the outcome of email ${emailId} is unknown`, options);
  }
}
