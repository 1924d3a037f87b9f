/**
 * A valid request that the service refuses. It crosses NATS as data, and the gateway turns its code into an HTTP status.
 * API callers see `message`; `details` has values for headers and bodies, such as `retry_after_s`, never secrets.
 */
export class Refusal<Code extends string = string> extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: Code,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    /** The HTTP status that its service declares for the code; only of a refusal that arrived from another service. */
    readonly status?: number,
  ) {
    super(message);
  }

  static is(error: unknown): error is Refusal {
    return error instanceof Refusal;
  }
}
