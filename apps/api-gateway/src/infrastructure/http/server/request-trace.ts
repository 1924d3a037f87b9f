import { startSpan, type TraceSpan } from '@postern/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NO_ROUTE, routeUrlOf } from './route-url.js';

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A property of the request: a WeakMap would cause more garbage collection. */
const SPAN = Symbol('span');

type Traced = FastifyRequest & { [SPAN]?: TraceSpan };

/** Starts the span of a request, in the caller's trace if there is one. Excludes URLs, which contain tokens. */
export const beginRequestTrace = (request: Traced): void => {
  const { method } = request;
  const url = routeUrlOf(request);
  const route = url === NO_ROUTE ? undefined : url;
  const { traceparent } = request.headers;
  const span = startSpan(
    route ? `${method} ${route}` : method,
    typeof traceparent === 'string' ? traceparent : undefined,
    {
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route, 'postern.correlation_id': request.id },
    },
  );
  if (span) request[SPAN] = span;
};

export const endRequestTrace = (request: Traced, { statusCode }: FastifyReply): void => {
  const span = request[SPAN];
  span?.annotate({ 'http.response.status_code': statusCode });
  span?.end(statusCode >= 500 ? statusCode : undefined);
};

/** The trace context for requests to services; undefined if the caller sent no valid one. */
export const traceparentOf = (request: Traced): string | undefined => {
  const own = request[SPAN]?.traceparent;
  if (own) return own;
  const given = request.headers.traceparent;
  return typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined;
};
