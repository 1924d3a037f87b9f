import { Injectable } from '@nestjs/common';
import { addressSuppressed, suppressionLifted } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { SuppressionList } from './ports.js';

/** Keeps a copy of delivery-tracking's suppression lists, so that sending calls no other service. */
@Injectable()
export class FollowSuppressions {
  constructor(private readonly list: SuppressionList) {}

  @HandlesEvents([addressSuppressed, suppressionLifted], { consumer: 'suppressions' })
  async onChanges(events: EventBatch<typeof addressSuppressed | typeof suppressionLifted>): Promise<void> {
    await this.list.apply(
      events.map(({ type, data }) => ({
        serviceId: data.service_id,
        address: data.address,
        isSuppressed: type === 'delivery-tracking.address-suppressed.v1',
        at: new Date(data.at),
      })),
    );
  }
}
