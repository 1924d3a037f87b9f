import type { platformKey, QuotaOverrides } from '@postern/contracts';
import type { RequestContext } from '@postern/messaging';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** The authenticated user of a request, identified by a session or a platform key. */
export interface Caller extends RequestContext {
  readonly userId: string;
  readonly workspaceId: string;
  /** The login address; absent if the caller used a platform key. */
  readonly email?: string;
  /** What an operator has set for the workspace; absent if the caller used a platform key. */
  readonly quotas?: QuotaOverrides;
  /** The key that was sent; absent if the caller used a session. */
  readonly platformKey?: z.output<typeof platformKey>;
}

const callers = new WeakMap<FastifyRequest, Caller>();

export const setCaller = (request: FastifyRequest, caller: Caller): void => {
  callers.set(request, caller);
};

/** The caller that `SessionGuard` or the admission of the platform API has set. */
export const callerOf = (request: FastifyRequest): Caller => {
  const caller = callers.get(request);
  if (!caller) throw new Error('The route needs a caller, but nothing authenticated the request.');
  return caller;
};
