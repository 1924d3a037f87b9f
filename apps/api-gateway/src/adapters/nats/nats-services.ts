import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';
import { ServiceUnavailable as NoAnswer, RemoteFault, RequestClient } from '@postern/messaging';
import { type Asker, type AskLimits, ServiceFault, Services, ServiceUnavailable } from '../../ports.js';

/** Asks over NATS. Refusals come through as they are; a fault of the other side becomes a 500. */
export class NatsServices extends Services {
  constructor(private readonly client: RequestClient) {
    super();
  }

  ask<C extends RequestContract>(
    contract: C,
    request: RequestInput<C>,
    asker: Asker,
    limits: AskLimits = {},
  ): Promise<ReplyOf<C>> {
    const { correlationId, traceparent, actor } = asker;
    const options = { correlationId, traceparent, actor, deadlineMs: limits.waitMs };
    return this.client.request(contract, request, options).catch((error: unknown) => {
      throw asOurs(contract, error);
    });
  }
}

const asOurs = ({ service }: RequestContract, error: unknown): unknown => {
  if (error instanceof NoAnswer) {
    const { maybeExecuted, retryAfterS } = error;
    return new ServiceUnavailable(service, { cause: error, maybeExecuted, retryAfterS });
  }
  return error instanceof RemoteFault ? new ServiceFault(service, error.maybeExecuted, { cause: error }) : error;
};
