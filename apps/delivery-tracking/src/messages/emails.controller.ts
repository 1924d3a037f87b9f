import { Controller } from '@nestjs/common';
import {
  emailAccepted,
  emailCopyRetried,
  emailHandedOver,
  emailInterrupted,
  emailNotHandedOver,
  getEmailStats,
  getTrackedEmail,
  listEmails,
  type ReplyOf,
  type RequestOf,
} from '@postern/contracts';
import { HandlesEvents, HandlesRequest } from '@postern/messaging';
import { EmailQueries } from './email-queries.js';
import { EmailStats } from '../statistics/email-statistics.js';
import { type EmailEvent, FollowEmails } from '../tracked-emails/track-emails.js';

/** Emails: what email-send tells of them, and what can be asked of them. */
@Controller()
export class EmailsController {
  constructor(
    private readonly emails: EmailQueries,
    private readonly stats: EmailStats,
    private readonly follow: FollowEmails,
  ) {}

  @HandlesEvents([emailAccepted, emailHandedOver, emailCopyRetried, emailNotHandedOver, emailInterrupted], {
    consumer: 'delivery-tracking',
  })
  onEmails(batch: readonly EmailEvent[]): Promise<void> {
    return this.follow.on(batch);
  }

  @HandlesRequest(listEmails)
  list(request: RequestOf<typeof listEmails>): Promise<ReplyOf<typeof listEmails>> {
    return this.emails.list(request);
  }

  @HandlesRequest(getTrackedEmail)
  get(request: RequestOf<typeof getTrackedEmail>): Promise<ReplyOf<typeof getTrackedEmail>> {
    return this.emails.get(request);
  }

  @HandlesRequest(getEmailStats)
  countsAndRates(request: RequestOf<typeof getEmailStats>): Promise<ReplyOf<typeof getEmailStats>> {
    return this.stats.get(request);
  }
}
