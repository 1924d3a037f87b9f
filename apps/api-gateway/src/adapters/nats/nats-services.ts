import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';
import { ServiceUnavailable as NoAnswer, RequestClient } from '@postern/messaging';
import { type Asker, Services, ServiceUnavailable } from '../../ports.js';

/** Asks over NATS. Refusals come through as they are; a fault of the other side stays an error and becomes a 500. */
export class NatsServices extends Services {
  constructor(private readonly client: RequestClient) {
    super();
  }

  ask<C extends RequestContract>(contract: C, request: RequestInput<C>, asker: Asker): Promise<ReplyOf<C>> {
    const { correlationId, traceparent, actor } = asker;
    return this.client.request(contract, request, { correlationId, traceparent, actor }).catch((error: unknown) => {
      throw error instanceof NoAnswer ? new ServiceUnavailable(contract.service, { cause: error }) : error;
    });
  }
}
