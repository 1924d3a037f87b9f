import { Controller } from '@nestjs/common';
import { addressSuppressed, emailBounced, emailComplained, suppressionLifted } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { CountReports } from '../../reactions/count-reports.js';
import { TrackSuppressions } from '../../reactions/track-suppressions.js';

/** What delivery-tracking publishes and sending has to know of. */
@Controller()
export class TrackingEventsController {
  constructor(
    private readonly counting: CountReports,
    private readonly tracking: TrackSuppressions,
  ) {}

  @HandlesEvents([emailBounced, emailComplained], { consumer: 'email-send-reports' })
  onReports(batch: EventBatch<typeof emailBounced | typeof emailComplained>): Promise<void> {
    return this.counting.take(batch);
  }

  @HandlesEvents([addressSuppressed, suppressionLifted], { consumer: 'email-send-suppressions' })
  onSuppressions(batch: EventBatch<typeof addressSuppressed | typeof suppressionLifted>): Promise<void> {
    return this.tracking.take(batch);
  }
}
