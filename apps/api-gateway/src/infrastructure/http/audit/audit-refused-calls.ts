import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findCaller } from '../access/caller.js';
import { isAudited } from './audit.interceptor.js';
import { attemptOf } from './audit-entry.js';
import type { AuditRecorder } from './audit-recorder.js';
import { auditedRouteOf } from './audited-routes.js';
import { codeOfStatus } from './refusal-code.js';

/** Stores calls of known callers that a guard or the server refuses, before they are answered. */
export const auditRefusedCalls = (server: FastifyInstance, recorder: AuditRecorder): void => {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 400 || isAudited(request) || !findCaller(request)) done(null, payload);
    else {
      const answer = () => done(null, payload);
      recordRefusal(request, reply, recorder).then(answer, answer);
    }
  });
};

const recordRefusal = async (
  request: FastifyRequest,
  { statusCode }: FastifyReply,
  recorder: AuditRecorder,
): Promise<void> => {
  const route = auditedRouteOf(request);
  const caller = route && findCaller(request);
  if (!caller) return;
  const outcome = statusCode < 500 ? 'refused' : 'failed';
  await recorder.complete({ ...attemptOf(request, route), outcome, code: codeOfStatus(statusCode) }, caller);
};
