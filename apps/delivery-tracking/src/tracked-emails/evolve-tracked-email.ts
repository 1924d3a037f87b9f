import { emailBounced, emailClicked, emailComplained, emailDelivered, emailOpened } from '@postern/contracts';
import { eventTimeKey } from './public-event.js';
import type { BounceClassification } from './signal.js';
import {
  BOUNCE_RECLASSIFIED,
  CLICKS_RECOGNISED_AS_MACHINE,
  COPY_RETRIED,
  DELIVERY_DELAYED,
  EMAIL_TRACKED,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
  NOTICE_NOT_UNDERSTOOD,
  NOTIFICATION_MISSED,
  type PublicEvent,
  RECIPIENT_UNSUBSCRIBED,
  type TrackedEmailEvent,
} from './tracked-email-events.js';
import {
  type Copy,
  copyOf,
  type HandOver,
  NO_LINK,
  retryKey,
  type TrackedEmail,
  withEngagement,
} from './tracked-email-state.js';

/** Applies one event to the state. */
export function evolveTrackedEmail(state: TrackedEmail, event: TrackedEmailEvent): TrackedEmail {
  switch (event.type) {
    case EMAIL_TRACKED:
      return {
        ...state,
        facts: event.data,
        copies: new Map(event.data.recipients.map(recipient => [recipient.index, copyOf(recipient)])),
      };
    case HAND_OVER_RECORDED:
      return { ...event.data.outcomes.reduce(afterHandOver, state), conclusion: 'recorded' };
    case COPY_RETRIED:
      return {
        ...afterHandOver(state, event.data.outcome),
        retries: new Set(state.retries).add(retryKey(event.data.outcome)),
      };
    case HAND_OVER_FAILED:
      return {
        ...[...state.copies.keys()].reduce((next, index) => withCopy(next, index, settle), state),
        conclusion: 'recorded',
      };
    case HAND_OVER_INTERRUPTED:
      return { ...state, conclusion: 'interrupted' };
    case DELIVERY_DELAYED:
      return state;
    case NOTICE_NOT_UNDERSTOOD:
      return withCopy(state, event.data.index, copy => ({
        ...copy,
        noticesNotUnderstood: copy.noticesNotUnderstood + 1,
      }));
    case RECIPIENT_UNSUBSCRIBED: {
      const { index, at } = event.data;
      return withCopy(state, index, copy => ({ ...copy, unsubscribedAt: [...copy.unsubscribedAt, at] }));
    }
    case BOUNCE_RECLASSIFIED: {
      const { new_type: type, classification } = event.data;
      return withCopy(state, event.data.index, copy => ({
        ...copy,
        bounce: copy.bounce && { ...copy.bounce, type, rule: ruleOf(classification) },
      }));
    }
    case NOTIFICATION_MISSED:
      return withCopy(state, event.data.recipient_index, settle);
    case CLICKS_RECOGNISED_AS_MACHINE:
      return withCopy(state, event.data.recipient_index, copy => ({
        ...copy,
        personClicks: [],
        machineClicks: [...copy.machineClicks, ...copy.personClicks],
      }));
    default:
      return withCopy(
        { ...state, eventTimes: new Set(state.eventTimes).add(eventTimeKey(event.type, event.data.timestamp)) },
        event.data.recipient_index,
        copy => afterPublicEvent(copy, event),
      );
  }
}

/** A rule in one version of the table. */
export const ruleOf = ({ rule, rules_version }: BounceClassification): string => `${rule} ${rules_version}`;

function bounceOf({ data, classification }: Extract<PublicEvent, { type: typeof emailBounced.type }>['data']) {
  const { bounce_type: type, reason } = data;
  return classification === undefined ? { type, reason } : { type, reason, rule: ruleOf(classification) };
}

const settle = (copy: Copy): Copy => ({ ...copy, settled: true });

function withCopy(state: TrackedEmail, index: number, change: (copy: Copy) => Copy): TrackedEmail {
  const copy = state.copies.get(index);
  return copy ? { ...state, copies: new Map(state.copies).set(index, change(copy)) } : state;
}

/** Only records acceptance; bounces and deliveries follow as public events. */
function afterHandOver(state: TrackedEmail, { index, result, at }: HandOver): TrackedEmail {
  return result === 'accepted' ? withCopy(state, index, copy => ({ ...copy, handedOverAt: at })) : state;
}

function afterPublicEvent(copy: Copy, event: PublicEvent): Copy {
  const { timestamp } = event.data;
  switch (event.type) {
    case emailDelivered.type:
      return { ...copy, deliveredAt: timestamp, settled: true };
    case emailBounced.type:
      return { ...copy, bounced: true, bounce: bounceOf(event.data), settled: true };
    case emailComplained.type:
      return { ...copy, complained: true, settled: true };
    case emailOpened.type:
      return event.data.data.machine
        ? { ...copy, machineOpens: withEngagement(copy.machineOpens, NO_LINK, timestamp) }
        : { ...copy, personOpens: withEngagement(copy.personOpens, NO_LINK, timestamp) };
    case emailClicked.type: {
      const { machine, url } = event.data.data;
      return machine
        ? { ...copy, machineClicks: withEngagement(copy.machineClicks, url, timestamp) }
        : { ...copy, personClicks: withEngagement(copy.personClicks, url, timestamp) };
    }
  }
}
