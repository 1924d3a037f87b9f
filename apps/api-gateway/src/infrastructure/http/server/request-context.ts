import type { RequestContext } from '@postern/messaging';
import type { FastifyRequest } from 'fastify';
import { traceparentOf } from './request-trace.js';

/** The context of an HTTP request before its caller is authenticated. */
export const requestContextOf = (request: FastifyRequest): RequestContext => {
  const traceparent = traceparentOf(request);
  return traceparent === undefined ? { correlationId: request.id } : { correlationId: request.id, traceparent };
};
