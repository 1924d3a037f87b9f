import { Controller } from '@nestjs/common';
import { emailBounced, emailComplained, OUTCOME_EVENTS } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { CountReports } from '../../reactions/count-reports.js';
import { ResolveUnknownEmails } from '../../reactions/resolve-unknown-emails.js';

/** Outcomes as delivery-tracking publishes them. */
@Controller()
export class ReportsController {
  constructor(
    private readonly counting: CountReports,
    private readonly resolving: ResolveUnknownEmails,
  ) {}

  @HandlesEvents([emailBounced, emailComplained], { consumer: 'email-send-reports' })
  onReports(batch: EventBatch<typeof emailBounced | typeof emailComplained>): Promise<void> {
    return this.counting.take(batch);
  }

  @HandlesEvents(OUTCOME_EVENTS, { consumer: 'email-send-evidence' })
  onOutcomes(batch: EventBatch<(typeof OUTCOME_EVENTS)[number]>): Promise<void> {
    return this.resolving.take(batch);
  }
}
