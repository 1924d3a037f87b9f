import { Injectable } from '@nestjs/common';
import { deliveriesConsumer, OUTCOME_EVENTS } from '@postern/contracts';
import type { EventTransaction } from '@postern/event-sourcing/postgres';
import { HandlesEventsInTransaction } from '@postern/messaging';
import { DeliveryQueue } from './ports.js';
import { type DeliveryEventEnvelope, kindOf, payloadOf } from './webhook-payload.js';

/** Queues one delivery of each event for every endpoint of its service that is subscribed to its kind. */
@Injectable()
export class EnqueueDeliveries {
  constructor(private readonly queue: DeliveryQueue) {}

  @HandlesEventsInTransaction(OUTCOME_EVENTS, deliveriesConsumer)
  on(events: readonly DeliveryEventEnvelope[], transaction: EventTransaction): Promise<void> {
    return this.queue.enqueue(
      events.map(event => ({
        id: event.id,
        serviceId: event.data.service_id,
        emailId: event.data.email_id,
        kind: kindOf(event),
        payload: payloadOf(event),
        traceparent: event.metadata.traceparent,
      })),
      transaction,
    );
  }
}
