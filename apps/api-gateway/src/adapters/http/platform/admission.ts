import { admitPlatformCall } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../../ports.js';
import { rememberActingUser } from '../acting-user.js';
import { rateLimitHeaders } from '../errors/refusal-status.js';
import { askerOf } from '../server/asker.js';
import { platformKeyHashOf } from './platform-key.js';

/** Every route below this one is the platform API's. */
export const PLATFORM_PREFIX = '/api/v1/';

/**
 * Lets a call of the platform API in, or throws what it is refused with: one question recognises the key, holds its
 * scope against the method, and counts the call. It stands before the body, so that a stranger uploads nothing, and
 * the standing of the limit is on every later answer, refusals included.
 */
export const admit = async (services: Services, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const key_hash = platformKeyHashOf(request);
  const { correlationId, traceparent } = askerOf(request);
  const required = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write';
  const { caller, rate_limit } = await services.ask(
    admitPlatformCall,
    { key_hash, required },
    { correlationId, traceparent },
  );
  reply.headers(rateLimitHeaders(rate_limit));
  rememberActingUser(request, {
    correlationId,
    traceparent,
    actor: `platform-key:${caller.key.id}`,
    userId: caller.user_id,
    workspaceId: caller.workspace_id,
    platformKey: caller.key,
  });
};
