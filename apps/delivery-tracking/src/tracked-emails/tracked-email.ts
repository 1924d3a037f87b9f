import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';
import { addressKey } from '@postern/mail';
import { boundedText } from './bounded-text.js';
import { decideCorrection, decideNotification, decideReclassification } from './decide-notification.js';
import { evolveTrackedEmail } from './evolve-tracked-email.js';
import { handOverEvent } from './hand-over-event.js';
import { decideClick, decideOpen } from './opens-and-clicks.js';
import { publicEvent } from './public-event.js';
import type { Signal, SignalRefusal } from './signal.js';
import {
  COPY_RETRIED,
  EMAIL_TRACKED,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
  NOTIFICATION_MISSED,
  RECIPIENT_UNSUBSCRIBED,
  type TrackedEmailEvent,
} from './tracked-email-events.js';
import {
  type Copy,
  type EmailFacts,
  type HandOver,
  isSettled,
  retryKey,
  type TrackedEmail,
  UNTRACKED,
} from './tracked-email-state.js';

const refused = (code: SignalRefusal, message: string): Refusal<SignalRefusal> => new Refusal(code, message);

/**
 * The delivery of one email. Signals can arrive in any order and more than once; each public event is published once
 * per recipient. Refuses (`SignalRefusal`) valid signals that must have no effect.
 */
export const trackedEmail: Decider<TrackedEmail, Signal, TrackedEmailEvent> = {
  initial: UNTRACKED,
  evolve: evolveTrackedEmail,

  decide: (signal, state) => {
    if (signal.kind === 'accepted') return state.facts ? [] : [{ type: EMAIL_TRACKED, data: signal.data }];
    const { facts } = state;
    if (!facts) throw new Error(`signal ${signal.kind} was decided before its email was known`);

    switch (signal.kind) {
      case 'handed_over':
        return state.conclusion === 'recorded'
          ? []
          : [{ type: HAND_OVER_RECORDED, data: signal.data }, ...handOverEvents(state, facts, signal.data.outcomes)];
      case 'copy_retried':
        return state.retries.has(retryKey(signal.data.outcome))
          ? []
          : [{ type: COPY_RETRIED, data: signal.data }, ...handOverEvents(state, facts, [signal.data.outcome])];
      case 'not_handed_over':
        return state.conclusion === 'recorded' ? [] : [{ type: HAND_OVER_FAILED, data: signal.data }];
      case 'interrupted':
        return state.conclusion === 'none' ? [{ type: HAND_OVER_INTERRUPTED, data: signal.data }] : [];
      case 'notified':
        return decideNotification(state, facts, reportedCopy(state, signal.index, signal.status.addresses), signal);
      case 'reclassified':
        return decideReclassification(state, facts, copyAt(state, signal.index), signal);
      case 'corrected':
        return decideCorrection(state, facts, copyAt(state, signal.index), signal.at);
      case 'complained': {
        const copy = reportedCopy(state, signal.index, signal.addresses);
        const source = boundedText(signal.source, 500);
        return copy.complained ? [] : [publicEvent.complained(state, facts, copy, signal.at, { source })];
      }
      case 'opened':
        return decideOpen(state, facts, copyAt(state, signal.data.recipient_index), signal.data);
      case 'clicked':
        return decideClick(state, facts, copyAt(state, signal.data.recipient_index), signal.data);
      case 'unsubscribed':
        return unsubscribed(facts, copyAt(state, signal.index), signal.at);
      case 'deadline_passed':
        return [...state.copies.values()]
          .filter(copy => !isSettled(copy))
          .map(copy => ({
            type: NOTIFICATION_MISSED,
            data: {
              email_id: facts.email_id,
              service_id: facts.service_id,
              recipient_index: copy.index,
              at: signal.at,
              reason: copy.handedOverAt
                ? 'no delivery notification arrived: it is unknown whether the message was delivered'
                : 'the result of the hand-over was never reported',
            },
          }));
    }
  },
};

/** A mail program may repeat a request; later, the owner may have removed the address from the list. */
const UNSUBSCRIBED_AGAIN_AFTER_MS = 60_000;
const MAX_UNSUBSCRIPTIONS = 20;

function unsubscribed(facts: EmailFacts, { index, address, unsubscribedAt }: Copy, at: string): TrackedEmailEvent[] {
  const isRepeated = unsubscribedAt.some(
    other => Math.abs(Date.parse(other) - Date.parse(at)) < UNSUBSCRIBED_AGAIN_AFTER_MS,
  );
  if (isRepeated || unsubscribedAt.length >= MAX_UNSUBSCRIPTIONS) return [];
  const { email_id, service_id } = facts;
  return [{ type: RECIPIENT_UNSUBSCRIBED, data: { email_id, service_id, index, address, at } }];
}

function copyAt(state: TrackedEmail, index: number): Copy {
  const copy = state.copies.get(index);
  if (!copy) throw refused('unknown_recipient', `the email has no recipient ${index}`);
  return copy;
}

const reportedCopy = (state: TrackedEmail, index: number | undefined, addresses: readonly string[] = []): Copy =>
  index === undefined ? copyNamed(state, addresses) : copyAt(state, index);

/** The copy of the only recipient, or of the only recipient among `addresses`. */
function copyNamed(state: TrackedEmail, addresses: readonly string[]): Copy {
  const keys = new Set(addresses.map(addressKey));
  const copies = [...state.copies.values()];
  const [copy, ...others] =
    copies.length === 1 ? copies : copies.filter(({ address }) => keys.has(addressKey(address)));
  if (!copy || others.length > 0) throw refused('unknown_recipient', 'the report does not identify a recipient');
  return copy;
}

function handOverEvents(state: TrackedEmail, facts: EmailFacts, handOvers: readonly HandOver[]): TrackedEmailEvent[] {
  const events: TrackedEmailEvent[] = [];
  let current = state;
  for (const handOver of handOvers) {
    const copy = current.copies.get(handOver.index);
    const event = copy && handOverEvent(current, facts, copy, handOver);
    if (!event) continue;
    events.push(event);
    current = evolveTrackedEmail(current, event);
  }
  return events;
}
