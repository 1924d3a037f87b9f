import { Injectable } from '@nestjs/common';
import { startSpan, traceContextOf } from '@postern/messaging';
import type { EndpointResponse } from '@postern/outbound';
import { Metrics } from '@postern/service-host';
import { outcomeOf } from './endpoint-response.js';
import { HttpEndpointClient } from './http-endpoint-client.js';
import { EndpointClient, type SignedRequest } from './ports.js';

/** Measures every attempt, and records it as a span of its event's trace. The trace is not sent to the endpoint. */
@Injectable()
export class ObservedEndpointClient extends EndpointClient {
  readonly #durations;

  constructor(
    private readonly client: HttpEndpointClient,
    metrics: Metrics,
  ) {
    super();
    this.#durations = metrics.meter('postern.webhooks').createHistogram('postern.webhooks.attempt.duration', {
      description: 'Time until an endpoint answered, or until the attempt timed out',
      unit: 's',
      advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
    });
  }

  override async send(request: SignedRequest): Promise<EndpointResponse> {
    const span = startSpan('attempt delivery', request.traceparent, { kind: 'client' });
    span?.annotate({
      'http.request.method': 'POST',
      'server.address': URL.parse(request.url)?.host,
      'http.request.resend_count': request.previousAttempts,
    });
    const response = await this.client.send(request);
    if (response.notSent) {
      span?.end('not sent');
      return response;
    }
    const outcome = outcomeOf(response);
    span?.annotate({ 'http.response.status_code': response.status, 'postern.attempt.outcome': outcome });
    span?.end(outcome === 'accepted' ? undefined : (response.status ?? 'no answer'));
    const trace = traceContextOf(span?.traceparent ?? request.traceparent);
    this.#durations.record(response.latencyMs / 1_000, { outcome }, trace);
    return response;
  }
}
