import { Injectable } from '@nestjs/common';
import { kindOf, type OutcomeEnvelope, payloadOf } from './webhook-payload.js';
import { DeliveryQueue } from './ports.js';

/** Every published outcome becomes one delivery for each endpoint of its service that wants to know of it. */
@Injectable()
export class QueueDeliveries {
  constructor(private readonly queue: DeliveryQueue) {}

  take(events: readonly OutcomeEnvelope[]): Promise<void> {
    return this.queue.take(
      events.map(event => ({
        id: event.id,
        serviceId: event.data.service_id,
        kind: kindOf(event),
        payload: payloadOf(event),
        traceparent: event.metadata.traceparent,
      })),
    );
  }
}
