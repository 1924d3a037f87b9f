import type { FastifyRequest } from 'fastify';
import type { Asker } from '../../../ports.js';

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The asker behind an HTTP request, before anybody knows who it is. */
export const askerOf = (request: FastifyRequest): Asker => {
  const given = request.headers.traceparent;
  return typeof given === 'string' && TRACEPARENT.test(given)
    ? { correlationId: request.id, traceparent: given }
    : { correlationId: request.id };
};
