import { type RequestInput, recordClick, recordOpen } from '@postern/contracts';
import { type NatsLink, type RequestContext, RequestQueue } from '@postern/messaging';
import type { Engagement, EngagementQueue } from './engagement-recorder.js';

/** The queue of delivery-tracking in JetStream. */
export class NatsEngagementQueue implements EngagementQueue {
  readonly #requests: RequestQueue;

  constructor(link: NatsLink) {
    this.#requests = new RequestQueue(link);
  }

  add({ contract, details }: Engagement, { correlationId, traceparent, actor }: RequestContext): Promise<void> {
    const context = { correlationId, traceparent, actor };
    return contract === recordOpen
      ? this.#requests.add(recordOpen, details, context)
      : this.#requests.add(recordClick, details as RequestInput<typeof recordClick>, context);
  }
}
