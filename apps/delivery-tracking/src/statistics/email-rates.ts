import type { getEmailStats, ReplyOf } from '@postern/contracts';
import type { EmailCounts } from '../messages/tracked-email-row.js';

/** Deliveries and bounces among all that was tried, everything else among what the relay took. */
export function ratesOf(total: EmailCounts): ReplyOf<typeof getEmailStats>['rates'] {
  const tried = total.sent + total.failed;
  return {
    delivered: share(total.delivered, tried),
    bounced: share(total.bounced_hard + total.bounced_soft, tried),
    complained: share(total.complained, total.sent),
    opened: share(total.opened, total.sent),
    clicked: share(total.clicked, total.sent),
  };
}

/** Bounded, for a read model of an earlier release may have counted what is unknown nowhere until it is rebuilt. */
const share = (part: number, whole: number): number | null => (whole === 0 ? null : Math.min(1, part / whole));
