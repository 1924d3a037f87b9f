/** What the gateway itself complains about, in the words of HTTP. Refusals of services have a table of their own. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export const badRequest = (message: string): Problem => new Problem(400, message);
