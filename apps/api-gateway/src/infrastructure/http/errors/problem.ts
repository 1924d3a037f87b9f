import { codeOfStatus, ERROR_CODE } from './error-code.js';

/** An error response of the gateway itself. Refusals of services have their own class. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    message: string,
    /** Including `error-code`, unless the code follows from the status. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** `detail` of the platform API, instead of the message. */
    readonly detail?: object,
  ) {
    super(message);
  }

  get code(): string {
    return this.headers[ERROR_CODE] ?? codeOfStatus(this.status);
  }
}

export const badRequest = (message: string, code = codeOfStatus(400)): Problem =>
  new Problem(400, message, { [ERROR_CODE]: code });

/** 401 for a credential that is missing or of the wrong type. */
export const unauthorized = (message: string, code: string, headers: Readonly<Record<string, string>> = {}): Problem =>
  new Problem(401, message, { ...headers, [ERROR_CODE]: code });
