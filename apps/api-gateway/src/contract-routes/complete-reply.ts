import type { RequestContext } from '@postern/messaging';
import type { ServiceClient } from '../service-client/ports.js';

/** Adds to the reply of a request what only another service knows, or refuses because of it. */
export type CompleteReply = (
  services: ServiceClient,
  reply: unknown,
  request: Readonly<Record<string, unknown>>,
  caller: RequestContext,
) => Promise<unknown>;
