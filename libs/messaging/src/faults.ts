/** The asked service gave no answer: absent, away, too busy, or too slow. Worth a 503 with `Retry-After`. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';

  /** `maybeExecuted: false` promises that the request had no effect, so that repeating it is safe. */
  constructor(
    readonly subject: string,
    readonly reason: 'timeout' | 'no_responders' | 'disconnected' | 'busy' | 'closed',
    readonly maybeExecuted: boolean,
  ) {
    super(`${subject}: ${reason.replace('_', ' ')}${maybeExecuted ? ', maybe executed' : ', not executed'}`);
  }
}

/** The asked service met a bug, or was asked in a shape that its contract does not allow. Logged there. */
export class RemoteFault extends Error {
  override readonly name = 'RemoteFault';

  constructor(
    readonly subject: string,
    message: string,
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
