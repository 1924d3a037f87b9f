import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';
import { ServiceUnavailable as NoReply, RemoteFault, RequestClient, type RequestContext } from '@postern/messaging';
import { type RequestOptions, ServiceClient, ServiceFault, ServiceUnavailable } from '../../service-client/ports.js';

/** Sends requests over NATS. Refusals pass through unchanged; internal errors of a service become `ServiceFault`. */
export class NatsServiceClient extends ServiceClient {
  constructor(private readonly client: RequestClient) {
    super();
  }

  request<C extends RequestContract>(
    contract: C,
    request: RequestInput<C>,
    context: RequestContext,
    { timeoutMs }: RequestOptions = {},
  ): Promise<ReplyOf<C>> {
    const { correlationId, traceparent, actor } = context;
    const options = { correlationId, traceparent, actor, deadlineMs: timeoutMs };
    return this.client.request(contract, request, options).catch((error: unknown) => {
      throw toGatewayError(contract, error);
    });
  }
}

const toGatewayError = ({ service }: RequestContract, error: unknown): unknown => {
  if (error instanceof NoReply) {
    const { maybeExecuted, retryAfterS } = error;
    return new ServiceUnavailable(service, { cause: error, maybeExecuted, retryAfterS });
  }
  return error instanceof RemoteFault ? new ServiceFault(service, error.maybeExecuted, { cause: error }) : error;
};
