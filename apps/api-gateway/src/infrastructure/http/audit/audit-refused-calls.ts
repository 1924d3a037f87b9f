import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findCaller } from '../access/caller.js';
import { refusedKeyOf } from '../access/refused-key.js';
import { codeOfStatus, ERROR_CODE } from '../errors/error-code.js';
import { requestContextOf } from '../server/request-context.js';
import { isAudited } from './audit.interceptor.js';
import { attemptOf, refusalOfKey } from './audit-entry.js';
import type { AuditRecorder } from './audit-recorder.js';
import { auditedRouteOf } from './audited-routes.js';
import { RefusedKeys } from './refused-keys.js';

/**
 * Stores refused platform keys, and calls of known callers that admission or the server refuses, before the response.
 */
export const auditRefusedCalls = (server: FastifyInstance, recorder: AuditRecorder): void => {
  const refusedKeys = new RefusedKeys((entry, context) => recorder.complete(entry, context));
  server.addHook('onClose', () => refusedKeys.flush());
  server.addHook('onSend', (request, reply, payload, done) => {
    const refusedKey = refusedKeyOf(request);
    if (refusedKey) refusedKeys.add(refusalOfKey(request, refusedKey), requestContextOf(request));
    // A call beyond a limit of the gateway is not recorded, so that a flood causes no further cost.
    const isRecorded = reply.statusCode >= 400 && reply.statusCode !== 429 && !isAudited(request);
    if (!isRecorded || !findCaller(request)) done(null, payload);
    else {
      const answer = () => done(null, payload);
      recordRefusal(request, reply, recorder).then(answer, answer);
    }
  });
};

const recordRefusal = async (request: FastifyRequest, reply: FastifyReply, recorder: AuditRecorder): Promise<void> => {
  const route = auditedRouteOf(request);
  const caller = route && findCaller(request);
  if (!caller) return;
  const outcome = reply.statusCode < 500 ? 'refused' : 'failed';
  const code = String(reply.getHeader(ERROR_CODE) ?? codeOfStatus(reply.statusCode));
  await recorder.complete({ ...attemptOf(request, route), outcome, code }, caller);
};
