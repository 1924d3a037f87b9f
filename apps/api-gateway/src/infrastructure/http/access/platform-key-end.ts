import { admitPlatformCall, Refusal, type RequestOf } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { ServiceClient } from '../../service-client/ports.js';
import { callerOf } from './caller.js';
import { platformKeyHashOf } from './platform-key.js';
import { operationOfRoute } from './route-operations.js';

/** Longer than for sessions, because a check of a platform key counts as a call. */
export const CHECK_KEY_MS = 60_000;

/**
 * The reason to end a response that has no end by itself, if its platform key is no longer valid; undefined while it is valid, and
 * while this cannot be checked.
 */
export const endOfPlatformKey = async (
  services: ServiceClient,
  request: FastifyRequest,
  needs: Pick<RequestOf<typeof admitPlatformCall>, 'required' | 'role'>,
): Promise<string | undefined> => {
  const call = { key_hash: platformKeyHashOf(request), operation: operationOfRoute(request), ...needs };
  try {
    await services.request(admitPlatformCall, call, callerOf(request));
    return undefined;
  } catch (error) {
    // A key at its rate limit is still valid.
    const isRefused = Refusal.is(error) && error.code !== 'rate_limit_reached';
    return isRefused ? 'the platform key is no longer valid' : undefined;
  }
};
