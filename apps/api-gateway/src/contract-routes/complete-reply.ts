import type { RequestContext } from '@postern/messaging';
import type { ServiceClient } from '../infrastructure/service-client/ports.js';

/** Completes the reply of a request with data of another service, or refuses because of that data. */
export type CompleteReply = (
  services: ServiceClient,
  reply: unknown,
  request: Readonly<Record<string, unknown>>,
  caller: RequestContext,
) => Promise<unknown>;
