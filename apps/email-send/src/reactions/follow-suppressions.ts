import { Injectable } from '@nestjs/common';
import type { addressSuppressed, EnvelopeOf, suppressionLifted } from '@postern/contracts';
import { SuppressionList } from '../ports.js';

type SuppressionChange = EnvelopeOf<typeof addressSuppressed | typeof suppressionLifted>;

/** On events of delivery-tracking: keeps our own list of suppressed addresses, so that a send asks nobody else. */
@Injectable()
export class FollowSuppressions {
  constructor(private readonly list: SuppressionList) {}

  async on(events: readonly SuppressionChange[]): Promise<void> {
    await this.list.note(
      events.map(({ type, data }) => ({
        serviceId: data.service_id,
        address: data.address,
        isSuppressed: type === 'delivery-tracking.address-suppressed.v1',
        at: new Date(data.at),
      })),
    );
  }
}
