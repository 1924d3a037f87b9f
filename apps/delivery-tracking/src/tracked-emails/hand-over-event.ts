import { classifyBounce } from '@postern/mail';
import { classificationOf } from './bounce-classification.js';
import { boundedText } from './bounded-text.js';
import { classifyByOwnRules } from './own-bounce-rules.js';
import { publicEvent } from './public-event.js';
import type { PublicEvent } from './tracked-email-events.js';
import type { Copy, EmailFacts, HandOver, TrackedEmail } from './tracked-email-state.js';

/**
 * The public event that the relay's answer to one copy causes, if any: a final refusal is a bounce, and acceptance by
 * a relay configured as the last hop is a delivery. Other answers wait for a notification or a retry.
 */
export function handOverEvent(
  state: TrackedEmail,
  facts: EmailFacts,
  copy: Copy,
  handOver: HandOver,
): PublicEvent | undefined {
  const response = boundedText(handOver.smtp_response, 1_000);
  switch (handOver.result) {
    case 'accepted':
      return handOver.relay_is_final && !copy.deliveredAt
        ? publicEvent.delivered(state, facts, copy, handOver.at, { smtp_response: response })
        : undefined;
    case 'refused':
      return refused();
    case 'suppressed':
      return bounced({ bounce_type: 'hard', reason: suppressedReason(response) });
    case 'expired':
      return bounced({ bounce_type: 'soft', reason: response || 'expired: every try until the deadline was deferred' });
    case 'deferred':
    case 'unknown':
      return undefined;
  }

  function refused() {
    const { bounceType: bounce_type, classification } =
      classifyByOwnRules(state.ownRules, copy.address, response) ?? classifyByText(handOver.smtp_response);
    const event = bounced({ bounce_type, reason: response });
    return event && { ...event, data: { ...event.data, classification } };
  }

  function bounced(data: { readonly bounce_type: 'hard' | 'soft'; readonly reason: string }) {
    return copy.bounced ? undefined : publicEvent.bounced(state, facts, copy, handOver.at, data);
  }
}

function classifyByText(text: string) {
  const { type: bounceType, ...found } = classifyBounce({ text });
  return { bounceType, classification: classificationOf(found) };
}

/** Whether a bounce reason means that the suppression list prevented sending. */
export const isSuppressedReason = (reason: string): boolean => reason.startsWith('suppressed');

const suppressedReason = (response: string): string =>
  isSuppressedReason(response) ? response : `suppressed: ${response || 'the address is on the suppression list'}`;
