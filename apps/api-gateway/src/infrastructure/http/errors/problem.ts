/** An error that the gateway itself answers with. Refusals of services have their own class. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** What the platform API answers instead of the message. */
    readonly detail?: object,
  ) {
    super(message);
  }
}

export const badRequest = (message: string): Problem => new Problem(400, message);
