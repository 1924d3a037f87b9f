/** Why a request got no answer from a handler. */
export type UnavailableReason =
  | 'timeout'
  | 'no_responders'
  | 'disconnected'
  | 'busy'
  | 'closed'
  /** Its deadline had passed before it was begun. */
  | 'expired'
  /** The handler threw `TemporarilyUnavailable`, or something that the called service counts as that. */
  | 'unavailable';

/** The called service gave no answer: absent, away, too busy, or too slow. Worth a 503 with `Retry-After`. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';

  /** `maybeExecuted: false` promises that the request had no effect, so that repeating it is safe. */
  constructor(
    readonly subject: string,
    readonly reason: UnavailableReason,
    readonly maybeExecuted: boolean,
    /** When the called service expects to be able again, where it said so. */
    readonly retryAfterS?: number,
  ) {
    super(`${subject}: ${reason.replace('_', ' ')}${maybeExecuted ? ', maybe executed' : ', not executed'}`);
  }
}

/** The called service met a bug, or was asked in a shape that its contract does not allow. Logged there. */
export class RemoteFault extends Error {
  override readonly name = 'RemoteFault';

  constructor(
    readonly subject: string,
    message: string,
    /** `false` promises that the request had no effect. */
    readonly maybeExecuted = true,
  ) {
    super(`${subject}: ${message}`);
  }
}

/** One request alone is larger than the server's `max_payload`; it was not sent. */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge';

  constructor(
    readonly subject: string,
    readonly bytes: number,
    readonly maxPayload: number,
  ) {
    super(
      `${subject}: ${bytes} bytes exceed the NATS server's max_payload of ${maxPayload}; raise it in nats-server.conf`,
    );
  }
}

/**
 * For a handler to throw when something that it needs is away for now: the caller gets `ServiceUnavailable` with the
 * reason `unavailable`, and the log a warning instead of a bug.
 */
export class TemporarilyUnavailable extends Error {
  override readonly name = 'TemporarilyUnavailable';
  /** `false` promises that the request had no effect, so that repeating it is safe. */
  readonly maybeExecuted: boolean;
  readonly retryAfterS: number | undefined;

  constructor(
    message: string,
    options: {
      readonly maybeExecuted: boolean;
      readonly retryAfterS?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.maybeExecuted = options.maybeExecuted;
    this.retryAfterS = options.retryAfterS;
  }
}

const WITHOUT_EFFECT = Symbol('without effect');

/** Marks what a handler throws: the request had no effect, so that repeating it is safe. The error stays what it is. */
export const withoutEffect = (error: unknown): unknown => {
  if (typeof error === 'object' && error !== null) Object.defineProperty(error, WITHOUT_EFFECT, { value: true });
  return error;
};

export const hadNoEffect = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && WITHOUT_EFFECT in error;
