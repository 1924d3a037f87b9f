import type { getEmailStats, ReplyOf } from '@postern/contracts';
import type { EmailCounts } from '../tracked-emails/email-counts.js';

/** Deliveries and bounces as shares of `sent + failed`; complaints, opens and clicks as shares of `sent`. */
export function ratesOf(total: EmailCounts): ReplyOf<typeof getEmailStats>['rates'] {
  const attempted = total.sent + total.failed;
  return {
    delivered: share(total.delivered, attempted),
    bounced: share(total.bounced_hard + total.bounced_soft, attempted),
    complained: share(total.complained, total.sent),
    opened: share(total.opened, total.sent),
    clicked: share(total.clicked, total.sent),
  };
}

/** At most 1: an interrupted copy, which does not count as sent, may be delivered. */
const share = (part: number, whole: number): number | null => (whole === 0 ? null : Math.min(1, part / whole));
