import type { Caller } from '../infrastructure/http/access/caller.js';
import type { ServiceClient } from '../service-client/ports.js';

/** Adds to the reply of a request what only another service knows, or refuses because of it. */
export type CompleteReply = (
  services: ServiceClient,
  reply: unknown,
  request: Readonly<Record<string, unknown>>,
  caller: Caller,
) => Promise<unknown>;
