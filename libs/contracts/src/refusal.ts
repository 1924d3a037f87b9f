/**
 * A request that was understood and not granted. It crosses NATS as data; only the gateway turns its code into HTTP.
 * `message` is meant for the caller of the public API; `details` holds what the gateway needs for headers or bodies
 * (for example `retry_after_s`), never a secret.
 */
export class Refusal<Code extends string = string> extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: Code,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  static is(error: unknown): error is Refusal {
    return error instanceof Refusal;
  }
}
