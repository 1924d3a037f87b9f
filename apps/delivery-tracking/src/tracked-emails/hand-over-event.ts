import type { DataOf, emailHandedOver } from '@postern/contracts';
import { classifyBounce } from '@postern/mail';
import { boundedText } from './bounded-text.js';
import { outcome } from './public-event.js';
import type { OutcomeEvent } from './tracked-email-events.js';
import type { Copy, EmailFacts, TrackedEmail } from './tracked-email-state.js';

type CopyOutcome = DataOf<typeof emailHandedOver>['outcomes'][number];

/**
 * The published outcome that the hand-over itself settles, if any: a final refusal is a bounce, and the 250 of a relay
 * that the operator calls the last hop is delivery. Everything else waits for a notification or another try.
 */
export function outcomeOfHandOver(
  state: TrackedEmail,
  facts: EmailFacts,
  copy: Copy,
  told: CopyOutcome,
): OutcomeEvent | undefined {
  const response = boundedText(told.smtp_response, 1_000);
  switch (told.result) {
    case 'accepted':
      return told.relay_is_final && !copy.deliveredAt
        ? outcome.delivered(state, facts, copy, told.at, { smtp_response: response })
        : undefined;
    case 'refused':
      return bounced({ bounce_type: classifyBounce({ text: told.smtp_response }).type, reason: response });
    case 'suppressed':
      return bounced({ bounce_type: 'hard', reason: suppressedReason(response) });
    case 'expired':
      return bounced({ bounce_type: 'soft', reason: response || 'expired: every try until the deadline was deferred' });
    case 'deferred':
    case 'unknown':
      return undefined;
  }

  function bounced(data: { readonly bounce_type: 'hard' | 'soft'; readonly reason: string }) {
    return copy.bounced ? undefined : outcome.bounced(state, facts, copy, told.at, data);
  }
}

/** The one word by which a bounce says that nothing was ever handed over. */
export const isSuppressedReason = (reason: string): boolean => reason.startsWith('suppressed');

const suppressedReason = (response: string): string =>
  isSuppressedReason(response) ? response : `suppressed: ${response || 'the address is on the suppression list'}`;
