import { admitPlatformCall, type WorkspaceRole } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceClient } from '../../service-client/ports.js';
import { admissionOfRequest } from '../admission/route-admission.js';
import { rateLimitHeaders } from '../errors/refusal-status.js';
import { requestContextOf } from '../server/request-context.js';
import { setAdmittedRead } from './admitted-read.js';
import { setCaller } from './caller.js';
import { noteRefusedKey } from './refused-key.js';
import { operationOfRoute } from './route-operations.js';

/**
 * Admits a call of the platform API before its body is read, or throws its refusal. One request authenticates the key,
 * checks its scope, counts the call and, if the route allows it, reads. Every later response, including errors,
 * contains the rate limit.
 */
export const admitCall = async (
  services: ServiceClient,
  key_hash: string,
  request: FastifyRequest,
  reply: FastifyReply,
  role: WorkspaceRole = 'owner',
): Promise<void> => {
  const context = requestContextOf(request);
  const { readOf, writes = request.method !== 'GET' && request.method !== 'HEAD' } = admissionOfRequest(request);
  const required = writes ? 'write' : 'read';
  const read = readOf?.(request);
  const operation = operationOfRoute(request);
  const call = { key_hash, required, operation, role, ...(read ? { read } : {}) } as const;
  const admitted = await services.request(admitPlatformCall, call, context).catch((error: unknown) => {
    noteRefusedKey(request, error);
    throw error;
  });
  const { caller, rate_limit } = admitted;
  if (admitted.read) setAdmittedRead(request, admitted.read);
  reply.headers(rateLimitHeaders(rate_limit));
  setCaller(request, {
    ...context,
    actor: `platform-key:${caller.key.id}`,
    userId: caller.user_id,
    workspaceId: caller.workspace_id,
    ...(caller.project_ids ? { projectIds: caller.project_ids } : {}),
    platformKey: caller.key,
  });
};
