import type { FastifyRequest } from 'fastify';
import type { Asker } from '../../../ports.js';
import { traceparentOf } from './request-trace.js';

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The asker behind an HTTP request, before anybody knows who it is. */
export const askerOf = (request: FastifyRequest): Asker => {
  const traceparent = traceparentOf(request);
  return traceparent !== undefined && TRACEPARENT.test(traceparent)
    ? { correlationId: request.id, traceparent }
    : { correlationId: request.id };
};
