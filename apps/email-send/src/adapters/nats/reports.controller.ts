import { Controller } from '@nestjs/common';
import { emailBounced, emailComplained } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { CountReports } from '../../reactions/count-reports.js';

/** Bounces and complaints as delivery-tracking publishes them. */
@Controller()
export class ReportsController {
  constructor(private readonly counting: CountReports) {}

  @HandlesEvents([emailBounced, emailComplained], { consumer: 'email-send-reports' })
  onReports(batch: EventBatch<typeof emailBounced | typeof emailComplained>): Promise<void> {
    return this.counting.take(batch);
  }
}
