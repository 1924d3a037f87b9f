import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { startSpan } from '@postern/messaging';
import type { Metrics } from '@postern/service-host';
import { type Answer, outcomeOf } from '../../deliveries/endpoint-response.js';
import { EndpointCaller, type SignedCall } from '../../deliveries/ports.js';

/** Times every attempt, and makes it the last span of its event's trace, which the endpoint is not told of. */
@Injectable()
export class ObservedEndpointCaller extends EndpointCaller implements OnModuleDestroy {
  private readonly durations;

  constructor(
    private readonly caller: EndpointCaller & OnModuleDestroy,
    metrics: Metrics,
  ) {
    super();
    this.durations = metrics.meter('postern.webhooks').createHistogram('postern.webhooks.attempt.duration', {
      description: 'Time until an endpoint answered, or until it was given up',
      unit: 's',
      advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
    });
  }

  async call(call: SignedCall): Promise<Answer> {
    const span = startSpan('attempt delivery', call.traceparent, { kind: 'client' });
    span?.annotate({
      'http.request.method': 'POST',
      'server.address': URL.parse(call.url)?.host,
      'http.request.resend_count': call.attemptsBefore,
    });
    const answer = await this.caller.call(call);
    const outcome = outcomeOf(answer);
    span?.annotate({ 'http.response.status_code': answer.status, 'postern.attempt.outcome': outcome });
    span?.end(outcome === 'accepted' ? undefined : (answer.status ?? 'no answer'));
    this.durations.record(answer.latencyMs / 1_000, { outcome });
    return answer;
  }

  async onModuleDestroy(): Promise<void> {
    await this.caller.onModuleDestroy();
  }
}
