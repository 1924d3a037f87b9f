import { startSpan, type TraceSpan } from '@postern/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** On the request itself: a WeakMap of short-lived requests is work for the garbage collector. */
const SPAN = Symbol('span');

type Traced = FastifyRequest & { [SPAN]?: TraceSpan };

/** Begins the span of a request: within its caller's trace, or as the first of a trace. Never names URLs: they hold tokens. */
export const beginRequestTrace = (request: Traced): void => {
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
  if (span) request[SPAN] = span;
};

export const endRequestTrace = (request: Traced, { statusCode }: FastifyReply): void => {
  const span = request[SPAN];
  span?.annotate({ 'http.response.status_code': statusCode });
  span?.end(statusCode >= 500 ? statusCode : undefined);
};

/** What the services have to be told to go on with the trace; nothing where a caller's own cannot be read. */
export const traceparentOf = (request: Traced): string | undefined => {
  const begun = request[SPAN]?.traceparent;
  if (begun) return begun;
  const given = request.headers.traceparent;
  return typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined;
};
