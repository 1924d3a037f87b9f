import { Injectable } from '@nestjs/common';
import type { EnvelopeOf, emailBounced, emailComplained } from '@postern/contracts';
import { DayBook } from '../ports.js';

/**
 * Bounces and complaints are held against the daily quota of their service. A message counts once for each kind however
 * many of its copies were reported and however often an event comes.
 */
@Injectable()
export class CountReports {
  constructor(private readonly days: DayBook) {}

  async take(events: readonly EnvelopeOf<typeof emailBounced | typeof emailComplained>[]): Promise<void> {
    const counted = events.filter(({ data }) => data.counts);
    if (counted.length === 0) return;
    await this.days.note(
      counted.map(({ type, data }) => ({
        serviceId: data.service_id,
        emailId: data.email_id,
        kind: type === 'delivery-tracking.email-bounced.v1' ? 'bounced' : 'complained',
        day: data.timestamp.slice(0, 10),
      })),
    );
  }
}
