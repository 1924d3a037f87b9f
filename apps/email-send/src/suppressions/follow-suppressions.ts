import { Injectable } from '@nestjs/common';
import { SUPPRESSION_EVENTS, trackingConsumer } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { SuppressionList } from './suppression-list.js';

/** Keeps a copy of delivery-tracking's suppression lists, so that sending calls no other service. */
@Injectable()
export class FollowSuppressions {
  constructor(private readonly list: SuppressionList) {}

  @HandlesEvents(SUPPRESSION_EVENTS, trackingConsumer)
  async onChanges(events: EventBatch<(typeof SUPPRESSION_EVENTS)[number]>): Promise<void> {
    await this.list.apply(
      events.map(({ type, data }) => ({
        serviceId: data.service_id,
        address: data.address,
        isSuppressed: type !== 'delivery-tracking.suppression-lifted.v1',
        at: new Date(data.at),
      })),
    );
  }
}
