import type { managementKey, platformKey, QuotaOverrides } from '@postern/contracts';
import type { RequestContext } from '@postern/messaging';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** The authenticated user of a request, identified by a session or a platform key. */
export interface Caller extends RequestContext {
  readonly userId: string;
  readonly workspaceId: string;
  /** The login address; absent if the caller used a platform key. */
  readonly email?: string;
  /** Hash of the session token; absent if the caller used a platform key. */
  readonly tokenHash?: string;
  /** The quotas that an operator has set for the workspace; absent if the caller used a platform key. */
  readonly quotas?: QuotaOverrides;
  /** The projects to which the platform key is restricted; absent for the whole workspace. */
  readonly projectIds?: readonly string[];
  /** The management key; absent if the caller used a session or a platform key. */
  readonly managementKey?: z.output<typeof managementKey>;
  /** The platform key; absent if the caller used a session. */
  readonly platformKey?: z.output<typeof platformKey>;
}

/** A property of the request: a WeakMap would cause more garbage collection. */
const CALLER = Symbol('caller');

type Authenticated = FastifyRequest & { [CALLER]?: Caller };

export const setCaller = (request: Authenticated, caller: Caller): void => {
  request[CALLER] = caller;
};

/** The caller set by admission. */
export const callerOf = (request: FastifyRequest): Caller => {
  const caller = findCaller(request);
  if (!caller) throw new Error('The route needs a caller, but nothing authenticated the request.');
  return caller;
};

/** The caller, if the request was authenticated. */
export const findCaller = (request: Authenticated): Caller | undefined => request[CALLER];
