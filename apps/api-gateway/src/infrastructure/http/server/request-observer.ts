import { traceContextOf } from '@postern/messaging';
import type { Metrics } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginRequestTrace, endRequestTrace, traceparentOf } from './request-trace.js';
import { routeUrlOf } from './route-url.js';

/** Traces and duration metrics by route and status. Excludes URLs, which contain tokens. */
export const requestObserver = (metrics: Metrics) => {
  const durations = metrics.meter('http').createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Time from the request to the end of its answer',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
  });
  const onResponse = (request: FastifyRequest, reply: FastifyReply): void => {
    const { method } = request;
    const seconds = reply.elapsedTime / 1_000;
    const attributes = {
      'http.request.method': method,
      'http.route': routeUrlOf(request),
      'http.response.status_code': reply.statusCode,
    };
    durations.record(seconds, attributes, traceContextOf(traceparentOf(request)));
    endRequestTrace(request, reply);
  };
  return { onRequest: beginRequestTrace, onResponse };
};
