import { startSpan, type TraceSpan } from '@postern/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';

const spans = new WeakMap<FastifyRequest, TraceSpan>();

/** Begins the span of a request: within its caller's trace, or as the first of a trace. Never names URLs: they hold tokens. */
export const beginRequestTrace = (request: FastifyRequest): void => {
  const { method } = request;
  const route = request.routeOptions.url;
  const { traceparent } = request.headers;
  const span = startSpan(
    route ? `${method} ${route}` : method,
    typeof traceparent === 'string' ? traceparent : undefined,
    {
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route, 'postern.correlation_id': request.id },
    },
  );
  if (span) spans.set(request, span);
};

export const endRequestTrace = (request: FastifyRequest, { statusCode }: FastifyReply): void => {
  const span = spans.get(request);
  span?.annotate({ 'http.response.status_code': statusCode });
  span?.end(statusCode >= 500 ? statusCode : undefined);
};

/** What the services have to be told to go on with the trace. */
export const traceparentOf = (request: FastifyRequest): string | undefined => {
  const given = request.headers.traceparent;
  return spans.get(request)?.traceparent ?? (typeof given === 'string' ? given : undefined);
};
