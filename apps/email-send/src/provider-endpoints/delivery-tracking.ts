import { Injectable } from '@nestjs/common';
import { MAX_PROVIDER_EVENTS, type ProviderEvent, recordProviderEvents } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';

/** The service that owns the outcomes of messages. */
@Injectable()
export class DeliveryTracking {
  constructor(private readonly requests: RequestClient) {}

  /** Resolves with the number of events that had an effect, once it is durable. */
  async record(events: readonly ProviderEvent[]): Promise<number> {
    let recorded = 0;
    for (let from = 0; from < events.length; from += MAX_PROVIDER_EVENTS) {
      const batch = events.slice(from, from + MAX_PROVIDER_EVENTS);
      recorded += (await this.requests.request(recordProviderEvents, { events: batch })).recorded;
    }
    return recorded;
  }
}
