import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';
import type { RequestContext } from '@postern/messaging';

export interface RequestOptions {
  /** Milliseconds to wait for the reply, instead of the contract's deadline. */
  readonly timeoutMs?: number;
}

/**
 * Sends requests to the other services. Resolves with the reply, or throws the service's `Refusal`, `ServiceUnavailable`
 * or `ServiceFault`; it never waits longer than the deadline.
 */
export abstract class ServiceClient {
  abstract request<C extends RequestContract>(
    contract: C,
    request: RequestInput<C>,
    context: RequestContext,
    options?: RequestOptions,
  ): Promise<ReplyOf<C>>;
}

/** The service did not reply in time. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';

  constructor(
    readonly service: string,
    options?: ErrorOptions & { readonly maybeExecuted?: boolean; readonly retryAfterS?: number | undefined },
  ) {
    super(`${service} is unavailable`, options);
    this.maybeExecuted = options?.maybeExecuted ?? true;
    this.retryAfterS = options?.retryAfterS;
  }

  /** False if the request certainly had no effect. */
  readonly maybeExecuted: boolean;
  readonly retryAfterS: number | undefined;
}

/** The service failed with an internal error. */
export class ServiceFault extends Error {
  override readonly name = 'ServiceFault';

  constructor(
    readonly service: string,
    readonly maybeExecuted: boolean,
    options?: ErrorOptions,
  ) {
    super(`${service} failed with an internal error`, options);
  }
}
