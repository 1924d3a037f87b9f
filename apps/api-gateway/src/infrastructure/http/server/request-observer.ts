import { runInContext } from '@postern/messaging';
import type { Metrics, ServiceLog } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestContextOf } from './request-context.js';
import { beginRequestTrace, endRequestTrace } from './request-trace.js';

/** Traces and duration metrics by route and status; a log line per request at level debug. Never URLs: they hold tokens. */
export const requestObserver = (metrics: Metrics, log: ServiceLog) => {
  const durations = metrics.meter('http').createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Time from the request to the end of its answer',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
  });
  const onResponse = (request: FastifyRequest, reply: FastifyReply): void => {
    const { method } = request;
    const route = request.routeOptions.url ?? '(none)';
    const seconds = reply.elapsedTime / 1_000;
    durations.record(seconds, {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': reply.statusCode,
    });
    const fields = { method, route, status: reply.statusCode, seconds };
    runInContext(requestContextOf(request), () => log.debug(fields, 'Request completed'));
    endRequestTrace(request, reply);
  };
  return { onRequest: beginRequestTrace, onResponse };
};
