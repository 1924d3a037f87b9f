import { isUnanswered, type RemoteFault, type ServiceUnavailable } from '@postern/messaging';

/** A command may have been carried out, and its service did not confirm it. */
export class CommandOutcomeUnknown extends Error {
  override readonly name = 'CommandOutcomeUnknown';

  constructor(
    override readonly cause: ServiceUnavailable | RemoteFault,
    /** Whether the client sent an `Idempotency-Key`. */
    readonly isKeyed: boolean,
  ) {
    super('the outcome of a command is unknown', { cause });
  }
}

/** The error of a request that may have had an effect. */
export const isUnknownOutcome = (error: unknown): error is ServiceUnavailable | RemoteFault =>
  isUnanswered(error) && error.maybeExecuted;
