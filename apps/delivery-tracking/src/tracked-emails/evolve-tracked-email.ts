import {
  type DataOf,
  emailBounced,
  emailClicked,
  emailComplained,
  emailDelivered,
  type emailHandedOver,
  emailOpened,
} from '@postern/contracts';
import { outcomeTime } from './public-event.js';
import {
  CLICKS_RECOGNISED_AS_MACHINE,
  COPY_RETRIED,
  DELIVERY_DELAYED,
  EMAIL_TRACKED,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
  NOTIFICATION_MISSED,
  type OutcomeEvent,
  type TrackedEmailEvent,
} from './tracked-email-events.js';
import { type Copy, copyOf, OPENING, oneMoreVisit, type TrackedEmail } from './tracked-email-state.js';

/** Folds one event into what is known of the email. */
export function evolveTrackedEmail(state: TrackedEmail, event: TrackedEmailEvent): TrackedEmail {
  switch (event.type) {
    case EMAIL_TRACKED:
      return {
        ...state,
        facts: event.data,
        copies: new Map(event.data.recipients.map(recipient => [recipient.index, copyOf(recipient)])),
      };
    case HAND_OVER_RECORDED:
      return { ...event.data.outcomes.reduce(afterTry, state), conclusion: 'recorded' };
    case COPY_RETRIED:
      return afterTry(state, event.data.outcome);
    case HAND_OVER_FAILED:
      return {
        ...[...state.copies.keys()].reduce((now, index) => changed(now, index, settle), state),
        conclusion: 'recorded',
      };
    case HAND_OVER_INTERRUPTED:
      return { ...state, conclusion: 'interrupted' };
    case DELIVERY_DELAYED:
      return state;
    case NOTIFICATION_MISSED:
      return changed(state, event.data.recipient_index, settle);
    case CLICKS_RECOGNISED_AS_MACHINE:
      return changed(state, event.data.recipient_index, copy => ({
        ...copy,
        personClicks: [],
        machineClicks: [...copy.machineClicks, ...copy.personClicks],
      }));
    default:
      return changed(
        { ...state, outcomeTimes: new Set(state.outcomeTimes).add(outcomeTime(event.type, event.data.timestamp)) },
        event.data.recipient_index,
        copy => afterOutcome(copy, event),
      );
  }
}

const settle = (copy: Copy): Copy => ({ ...copy, settled: true });

function changed(state: TrackedEmail, index: number, change: (copy: Copy) => Copy): TrackedEmail {
  const copy = state.copies.get(index);
  return copy ? { ...state, copies: new Map(state.copies).set(index, change(copy)) } : state;
}

/** The published outcomes follow as events of their own; here only what the relay took. */
function afterTry(
  state: TrackedEmail,
  { index, result, at }: DataOf<typeof emailHandedOver>['outcomes'][number],
): TrackedEmail {
  return result === 'accepted' ? changed(state, index, copy => ({ ...copy, handedOverAt: at })) : state;
}

function afterOutcome(copy: Copy, event: OutcomeEvent): Copy {
  const { timestamp } = event.data;
  switch (event.type) {
    case emailDelivered.type:
      return { ...copy, deliveredAt: timestamp, settled: true };
    case emailBounced.type:
      return { ...copy, bounced: true, settled: true };
    case emailComplained.type:
      return { ...copy, complained: true, settled: true };
    case emailOpened.type:
      return event.data.data.machine
        ? { ...copy, machineOpenings: oneMoreVisit(copy.machineOpenings, OPENING, timestamp) }
        : { ...copy, personOpenings: oneMoreVisit(copy.personOpenings, OPENING, timestamp) };
    case emailClicked.type: {
      const { machine, url } = event.data.data;
      return machine
        ? { ...copy, machineClicks: oneMoreVisit(copy.machineClicks, url, timestamp) }
        : { ...copy, personClicks: oneMoreVisit(copy.personClicks, url, timestamp) };
    }
  }
}
