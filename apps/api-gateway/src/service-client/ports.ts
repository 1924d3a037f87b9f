import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';
import type { RequestContext, RequestOptions } from '@postern/messaging';

/** Sends requests to the other services, like `RequestClient`, but every request needs the context of its caller. */
export abstract class ServiceClient {
  abstract request<C extends RequestContract>(
    contract: C,
    request: RequestInput<C>,
    context: RequestContext & Pick<RequestOptions, 'deadlineMs'>,
  ): Promise<ReplyOf<C>>;
}
