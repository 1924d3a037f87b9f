import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';
import type { RequestContext, RequestOptions } from '@postern/messaging';

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
