/** The reason why a request got no reply from a handler. */
export type UnavailableReason =
  | 'timeout'
  | 'no_responders'
  | 'disconnected'
  | 'busy'
  | 'closed'
  /** Its deadline had passed before it was started. */
  | 'expired'
  /** The handler threw `TemporarilyUnavailable`, or an error that the called service treats as such. */
  | 'unavailable';

/** The called service is absent, unavailable, busy or too slow. Corresponds to 503 with `Retry-After`. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';

  /** `maybeExecuted: false` guarantees that the request had no effect and can be retried. */
  constructor(
    readonly subject: string,
    readonly reason: UnavailableReason,
    readonly maybeExecuted: boolean,
    /** Seconds until the called service expects to be available, if the reply contains them. */
    readonly retryAfterS?: number,
  ) {
    super(`${subject}: ${reason.replace('_', ' ')}${maybeExecuted ? ', maybe executed' : ', not executed'}`);
  }
}

/** The called service failed unexpectedly, or the request does not match its contract. The called service logged it. */
export class RemoteFault extends Error {
  override readonly name = 'RemoteFault';

  constructor(
    readonly subject: string,
    message: string,
    /** `false` guarantees that the request had no effect. */
    readonly maybeExecuted = true,
  ) {
    super(`${subject}: ${message}`);
  }
}

/** The request is larger than the server's `max_payload`; it was not sent. */
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
 * Thrown by a handler when a dependency is unavailable: the caller gets `ServiceUnavailable` with the reason
 * `unavailable`, and a warning is logged.
 */
export class TemporarilyUnavailable extends Error {
  override readonly name = 'TemporarilyUnavailable';
  /** `false` guarantees that the request had no effect and can be retried. */
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

/** Whether a handler failed because something is unavailable, here or in a service that it called. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof TemporarilyUnavailable || error instanceof ServiceUnavailable;

/** Whether a request got no reply from its handler: the called service did not respond, or failed. */
export const isUnanswered = (error: unknown): error is ServiceUnavailable | RemoteFault =>
  error instanceof ServiceUnavailable || error instanceof RemoteFault;

const WITHOUT_EFFECT = Symbol('without effect');

/** Marks an error of a handler: the request had no effect and can be retried. */
export const withoutEffect = (error: unknown): unknown => {
  if (typeof error === 'object' && error !== null) Object.defineProperty(error, WITHOUT_EFFECT, { value: true });
  return error;
};

export const hadNoEffect = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && WITHOUT_EFFECT in error;
