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

/** A maker of one kind of outcome. `at` moves on by a millisecond where it is taken; see `freeTime`. */
const told =
  <Type extends string, Contract extends EventContract<Type>>(contract: Contract) =>
  <Data>(state: TrackedEmail, facts: EmailFacts, copy: Copy, at: string, data: Data) => ({
    type: contract.type as Contract['type'],
    data: {
      email_id: facts.email_id,
      service_id: facts.service_id,
      recipient_index: copy.index,
      to: copy.address,
      from: facts.from,
      subject: facts.subject,
      timestamp: freeTime(state, contract.type, at),
      counts: facts.counts,
      data,
    },
  });

/**
 * Receivers of webhooks take two events of one message, kind and timestamp for the same event, so that two recipients
 * who bounce in the same millisecond have to be told apart by one millisecond.
 */
function freeTime(state: TrackedEmail, type: string, at: string): string {
  let time = Date.parse(at);
  while (state.outcomeTimes.has(outcomeTime(type, new Date(time).toISOString()))) time += 1;
  return new Date(time).toISOString();
}

/** How an outcome is remembered in `TrackedEmail.outcomeTimes`. */
export const outcomeTime = (type: string, timestamp: string): string => `${type} ${timestamp}`;

/** The published outcomes of one recipient's copy. */
export const outcome = {
  delivered: told(emailDelivered)<DataOf<typeof emailDelivered>['data']>,
  bounced: told(emailBounced)<DataOf<typeof emailBounced>['data']>,
  complained: told(emailComplained)<DataOf<typeof emailComplained>['data']>,
  opened: told(emailOpened)<DataOf<typeof emailOpened>['data']>,
  clicked: told(emailClicked)<DataOf<typeof emailClicked>['data']>,
};
