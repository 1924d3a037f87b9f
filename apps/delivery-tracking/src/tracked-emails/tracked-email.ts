import type { DataOf, emailHandedOver } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';
import { addressKey } from '@postern/mail';
import { boundedText } from './bounded-text.js';
import { evolveTrackedEmail } from './evolve-tracked-email.js';
import { outcomeOfHandOver } from './hand-over-event.js';
import { outcome } from './public-event.js';
import type { Signal, SignalRefusal } from './signal.js';
import {
  COPY_RETRIED,
  DELIVERY_DELAYED,
  EMAIL_TRACKED,
  HAND_OVER_FAILED,
  HAND_OVER_INTERRUPTED,
  HAND_OVER_RECORDED,
  NOTIFICATION_MISSED,
  type TrackedEmailEvent,
} from './tracked-email-events.js';
import { type Copy, type EmailFacts, isSettled, type TrackedEmail, UNTRACKED } from './tracked-email-state.js';
import { clickOf, openingOf } from './opens-and-clicks.js';

type CopyOutcome = DataOf<typeof emailHandedOver>['outcomes'][number];

const refused = (code: SignalRefusal, message: string): Refusal<SignalRefusal> => new Refusal(code, message);

/**
 * What became of one email. Signals may come in any order and more than once: an outcome is published once per
 * recipient, and what is known only grows. Refuses (SignalRefusal) what was understood but must change nothing.
 */
export const trackedEmail: Decider<TrackedEmail, Signal, TrackedEmailEvent> = {
  initial: UNTRACKED,
  evolve: evolveTrackedEmail,

  decide: (signal, state) => {
    if (signal.kind === 'accepted') return state.facts ? [] : [{ type: EMAIL_TRACKED, data: signal.data }];
    const { facts } = state;
    if (!facts) throw new Error(`a signal of the kind ${signal.kind} was decided before its email was known`);

    switch (signal.kind) {
      case 'handed_over':
        return state.conclusion === 'recorded'
          ? []
          : [{ type: HAND_OVER_RECORDED, data: signal.data }, ...outcomesOfCopies(state, facts, signal.data.outcomes)];
      case 'copy_retried':
        return [{ type: COPY_RETRIED, data: signal.data }, ...outcomesOfCopies(state, facts, [signal.data.outcome])];
      case 'not_handed_over':
        return state.conclusion === 'recorded' ? [] : [{ type: HAND_OVER_FAILED, data: signal.data }];
      case 'interrupted':
        return state.conclusion === 'none' ? [{ type: HAND_OVER_INTERRUPTED, data: signal.data }] : [];
      case 'notified':
        return notified(state, facts, signal);
      case 'complained': {
        const copy = copyAt(state, signal.index);
        const source = boundedText(signal.source, 500);
        return copy.complained ? [] : [outcome.complained(state, facts, copy, signal.at, { source })];
      }
      case 'opened':
        return openingOf(state, facts, copyAt(state, signal.data.recipient_index), signal.data);
      case 'clicked':
        return clickOf(state, facts, copyAt(state, signal.data.recipient_index), signal.data);
      case 'deadline_passed':
        return [...state.copies.values()]
          .filter(copy => !isSettled(copy))
          .map(copy => ({
            type: NOTIFICATION_MISSED,
            data: {
              email_id: facts.email_id,
              recipient_index: copy.index,
              at: signal.at,
              reason: copy.handedOverAt
                ? 'no notification came: whether the message was delivered is unknown'
                : 'the outcome of the hand-over was never told',
            },
          }));
    }
  },
};

function copyAt(state: TrackedEmail, index: number): Copy {
  const copy = state.copies.get(index);
  if (!copy) throw refused('unknown_recipient', `the email has no recipient ${index}`);
  return copy;
}

function outcomesOfCopies(
  state: TrackedEmail,
  facts: EmailFacts,
  outcomes: readonly CopyOutcome[],
): TrackedEmailEvent[] {
  const events: TrackedEmailEvent[] = [];
  let now = state;
  for (const told of outcomes) {
    const copy = now.copies.get(told.index);
    const event = copy && outcomeOfHandOver(now, facts, copy, told);
    if (!event) continue;
    events.push(event);
    now = evolveTrackedEmail(now, event);
  }
  return events;
}

function notified(
  state: TrackedEmail,
  facts: EmailFacts,
  { index, status, at }: Extract<Signal, { kind: 'notified' }>,
): TrackedEmailEvent[] {
  const copy = copyAt(state, index);
  const key = addressKey(copy.address);
  if (!status.addresses.some(address => addressKey(address) === key)) {
    throw refused('report_for_another_recipient', 'the report is about another recipient than its return path');
  }
  const response = boundedText(status.response, 1_000);
  switch (status.action) {
    case 'delivered':
    case 'relayed':
    case 'expanded':
      return copy.deliveredAt ? [] : [outcome.delivered(state, facts, copy, at, { smtp_response: response })];
    case 'failed':
      return copy.bounced
        ? []
        : [outcome.bounced(state, facts, copy, at, { bounce_type: status.bounceType, reason: response })];
    case 'delayed':
      return isSettled(copy)
        ? []
        : [
            {
              type: DELIVERY_DELAYED,
              data: { email_id: facts.email_id, recipient_index: index, at, reason: response },
            },
          ];
  }
}
