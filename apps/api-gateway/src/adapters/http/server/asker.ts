import type { FastifyRequest } from 'fastify';
import type { Asker } from '../../../ports.js';
import { traceparentOf } from './request-trace.js';

/** The asker behind an HTTP request, before anybody knows who it is. */
export const askerOf = (request: FastifyRequest): Asker => {
  const traceparent = traceparentOf(request);
  return traceparent === undefined ? { correlationId: request.id } : { correlationId: request.id, traceparent };
};
