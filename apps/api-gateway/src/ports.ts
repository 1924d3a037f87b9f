import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';

/** On whose behalf a service is asked; both go into logs, traces and the metadata of events. */
export interface Asker {
  readonly correlationId: string;
  /** W3C trace context of the caller, so that its trace goes on through the services. */
  readonly traceparent?: string | undefined;
  readonly actor?: string;
}

/**
 * The services behind the door. Answers, throws the service's `Refusal`, or throws `ServiceUnavailable` when the
 * contract's deadline passes or nobody listens; it never waits longer than the deadline.
 */
export abstract class Services {
  abstract ask<C extends RequestContract>(contract: C, request: RequestInput<C>, asker: Asker): Promise<ReplyOf<C>>;
}

/** The asked service gave no answer in time. Whether it acted is unknown. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';

  constructor(
    readonly service: string,
    options?: ErrorOptions,
  ) {
    super(`${service} does not answer`, options);
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
