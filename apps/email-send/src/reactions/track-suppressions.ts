import { Injectable } from '@nestjs/common';
import type { addressSuppressed, EnvelopeOf, suppressionLifted } from '@postern/contracts';
import { SuppressionRecord } from '../ports.js';

/** Keeps the list that a send is held against as delivery-tracking tells it. Repeated and late events do no harm. */
@Injectable()
export class TrackSuppressions {
  constructor(private readonly record: SuppressionRecord) {}

  async take(events: readonly EnvelopeOf<typeof addressSuppressed | typeof suppressionLifted>[]): Promise<void> {
    await this.record.note(
      events.map(({ type, data }) => ({
        serviceId: data.service_id,
        address: data.address,
        lifted: type === 'delivery-tracking.suppression-lifted.v1',
        at: data.at,
      })),
    );
  }
}
