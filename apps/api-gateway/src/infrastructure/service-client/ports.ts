import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';
import { type RequestContext, type RequestOptions, ServiceUnavailable } from '@postern/messaging';
import type { NatsConnection } from '@postern/service-host';

/** The caller of a request, and how it may be repeated. */
export type ServiceContext = RequestContext & Pick<RequestOptions, 'deadlineMs' | 'key' | 'onReplayed' | 'received'>;

/** Sends requests to the other services, like `RequestClient`, but every request needs the context of its caller. */
export abstract class ServiceClient {
  abstract request<C extends RequestContract>(
    contract: C,
    request: RequestInput<C>,
    context: ServiceContext,
  ): Promise<ReplyOf<C>>;
}

/** A service of a cell did not answer; the other cells are not affected. */
export class CellUnreachable extends ServiceUnavailable {
  constructor(
    readonly cell: string,
    { subject, reason, maybeExecuted, retryAfterS }: ServiceUnavailable,
  ) {
    super(subject, reason, maybeExecuted, retryAfterS);
  }
}

/** The connection of a gateway; with cells, its `services` take the place of `requests`. */
export interface GatewayConnection extends NatsConnection {
  readonly services?: ServiceClient;
}
