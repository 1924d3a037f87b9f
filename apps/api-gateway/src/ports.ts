import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';

/** On whose behalf a service is asked; both go into logs, traces and the metadata of events. */
export interface Asker {
  readonly correlationId: string;
  /** W3C trace context of the caller, so that its trace goes on through the services. */
  readonly traceparent?: string | undefined;
  readonly actor?: string;
}

export interface AskLimits {
  /** How long this question may wait, instead of its contract's deadline. */
  readonly waitMs?: number;
}

/**
 * The services behind the door. Answers, throws the service's `Refusal`, or throws `ServiceUnavailable` when the
 * contract's deadline passes or nobody listens; it never waits longer than the deadline.
 */
export abstract class Services {
  abstract ask<C extends RequestContract>(
    contract: C,
    request: RequestInput<C>,
    asker: Asker,
    limits?: AskLimits,
  ): Promise<ReplyOf<C>>;
}

/** The asked service gave no answer in time. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';

  constructor(
    readonly service: string,
    options?: ErrorOptions & { readonly maybeExecuted?: boolean; readonly retryAfterS?: number | undefined },
  ) {
    super(`${service} does not answer`, options);
    this.maybeExecuted = options?.maybeExecuted ?? true;
    this.retryAfterS = options?.retryAfterS;
  }

  /** False where it is certain that the request had no effect. */
  readonly maybeExecuted: boolean;
  readonly retryAfterS: number | undefined;
}

/** The asked service met a bug. */
export class ServiceFault extends Error {
  override readonly name = 'ServiceFault';

  constructor(
    readonly service: string,
    readonly maybeExecuted: boolean,
    options?: ErrorOptions,
  ) {
    super(`${service} met a bug`, options);
  }
}

/** A message that may have been sent, and about which nobody could be asked before the client's deadline. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';

  constructor(
    readonly emailId: string,
    options?: ErrorOptions,
  ) {
    super(`the outcome of email ${emailId} is unknown`, options);
  }
}

/** Which copy of which email a tracking link belongs to. */
export interface TrackedCopy {
  readonly emailId: string;
  readonly recipientIndex: number;
}

/** Reads the signed tokens of pixels and links; undefined for anything that we did not sign. */
export abstract class TrackingLinks {
  abstract copyOfPixel(token: string): TrackedCopy | undefined;
  abstract copyAndTargetOfLink(token: string): (TrackedCopy & { readonly url: string }) | undefined;
}
