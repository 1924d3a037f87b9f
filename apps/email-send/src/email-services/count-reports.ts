import { Injectable } from '@nestjs/common';
import { emailBounced, emailComplained, trackingConsumer } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { DailyUsage } from './daily-usage.js';

/**
 * Counts bounces and complaints for the daily quota of their service. A message counts once per kind, however many of its
 * copies were reported and however often an event arrives.
 */
@Injectable()
export class CountReports {
  constructor(private readonly usage: DailyUsage) {}

  @HandlesEvents([emailBounced, emailComplained], trackingConsumer)
  async onReports(events: EventBatch<typeof emailBounced | typeof emailComplained>): Promise<void> {
    const counted = events.filter(({ data }) => data.counts);
    if (counted.length === 0) return;
    await this.usage.addReports(
      counted.map(({ type, data }) => ({
        serviceId: data.service_id,
        emailId: data.email_id,
        kind: type === 'delivery-tracking.email-bounced.v1' ? 'bounced' : 'complained',
        day: data.timestamp.slice(0, 10),
      })),
    );
  }
}
