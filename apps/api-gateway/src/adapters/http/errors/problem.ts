/** What the gateway itself complains about, in the words of HTTP. Refusals of services have a table of their own. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** What the platform API says instead of the message. */
    readonly detail?: object,
  ) {
    super(message);
  }
}

export const badRequest = (message: string): Problem => new Problem(400, message);
