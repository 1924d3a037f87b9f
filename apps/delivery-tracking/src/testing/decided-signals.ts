import { Refusal } from '@postern/contracts/refusal';
import { fold } from '@postern/event-sourcing';
import type { Signal } from '../tracked-emails/signal.js';
import { trackedEmail } from '../tracked-emails/tracked-email.js';
import type { TrackedEmailEvent } from '../tracked-emails/tracked-email-events.js';
import { accepted, copy, handedOver } from './example-signals.js';

/** A message of two copies that was handed over. */
export const SENT = [accepted, handedOver(copy(0), copy(1))] as const;

/** Decides signals one after another. */
export function after(...signals: readonly Signal[]) {
  const history: TrackedEmailEvent[] = [];
  for (const signal of signals) history.push(...trackedEmail.decide(signal, fold(trackedEmail, history)));
  const events = (signal: Signal) => trackedEmail.decide(signal, fold(trackedEmail, history));
  return {
    history,
    events,
    when: (signal: Signal) => events(signal).map(kind),
    refusal(signal: Signal): string | undefined {
      try {
        events(signal);
        return undefined;
      } catch (error) {
        if (Refusal.is(error)) return error.code;
        throw error;
      }
    },
  };
}

/** The event type without its service and version. */
export function kind({ type }: TrackedEmailEvent): string {
  return type.replace(/^delivery-tracking\.|\.v1$/g, '');
}

/** The published form of the events. */
export function publicEvents(events: readonly TrackedEmailEvent[]) {
  return events.flatMap(({ data }) => ('timestamp' in data ? [data] : []));
}
