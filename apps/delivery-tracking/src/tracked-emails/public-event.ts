import {
  type DataOf,
  type EventContract,
  emailBounced,
  emailClicked,
  emailComplained,
  emailDelivered,
  emailOpened,
} from '@postern/contracts';
import type { Copy, EmailFacts, TrackedEmail } from './tracked-email-state.js';

/** Returns the builder of one type of public event about one recipient. */
const builderFor =
  <Type extends string, Contract extends EventContract<Type>>(contract: Contract) =>
  <Data extends object>(state: TrackedEmail, facts: EmailFacts, copy: Copy, at: string, data: Data) => ({
    type: contract.type as Contract['type'],
    data: {
      email_id: facts.email_id,
      service_id: facts.service_id,
      recipient_index: copy.index,
      to: copy.address,
      from: facts.from,
      subject: facts.subject,
      timestamp: uniqueTimestamp(state, contract.type, at),
      counts: facts.counts,
      data: facts.tags === undefined ? data : { ...data, tags: facts.tags },
    },
  });

/**
 * Webhook receivers deduplicate by message, event type and timestamp. Two recipients that bounce in the same
 * millisecond therefore get timestamps one millisecond apart.
 */
function uniqueTimestamp(state: TrackedEmail, type: string, at: string): string {
  let time = Date.parse(at);
  while (state.eventTimes.has(eventTimeKey(type, new Date(time).toISOString()))) time += 1;
  return new Date(time).toISOString();
}

/** The key of a public event in `TrackedEmail.eventTimes`. */
export const eventTimeKey = (type: string, timestamp: string): string => `${type} ${timestamp}`;

/** Builders of the public events about one recipient's copy. */
export const publicEvent = {
  delivered: builderFor(emailDelivered)<DataOf<typeof emailDelivered>['data']>,
  bounced: builderFor(emailBounced)<DataOf<typeof emailBounced>['data']>,
  complained: builderFor(emailComplained)<DataOf<typeof emailComplained>['data']>,
  opened: builderFor(emailOpened)<DataOf<typeof emailOpened>['data']>,
  clicked: builderFor(emailClicked)<DataOf<typeof emailClicked>['data']>,
};
