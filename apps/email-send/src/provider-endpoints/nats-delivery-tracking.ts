import { Injectable } from '@nestjs/common';
import { MAX_PROVIDER_EVENTS, type ProviderEvent, recordProviderEvents } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { DeliveryTracking } from './ports.js';

/** Sends the events to delivery-tracking over NATS, in batches. */
@Injectable()
export class NatsDeliveryTracking extends DeliveryTracking {
  constructor(private readonly requests: RequestClient) {
    super();
  }

  override async record(events: readonly ProviderEvent[]): Promise<number> {
    let recorded = 0;
    for (let from = 0; from < events.length; from += MAX_PROVIDER_EVENTS) {
      const batch = events.slice(from, from + MAX_PROVIDER_EVENTS);
      recorded += (await this.requests.request(recordProviderEvents, { events: batch })).recorded;
    }
    return recorded;
  }
}
