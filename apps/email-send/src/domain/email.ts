import {
  type DataOf,
  type EventOf,
  emailAccepted,
  emailCopyRetried,
  emailHandedOver,
  emailInterrupted,
  emailNotHandedOver,
} from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';
import { type CopyAnswer, type HandOverVerdict, judgeHandOver, outcomeOf } from './hand-over.js';

export type EmailEvent = EventOf<
  | typeof emailAccepted
  | typeof emailHandedOver
  | typeof emailCopyRetried
  | typeof emailNotHandedOver
  | typeof emailInterrupted
>;
/** What ends the hand-over of a message, one way or another. */
export type ConcludingEvent = EventOf<typeof emailHandedOver | typeof emailNotHandedOver | typeof emailInterrupted>;
export type EmailFacts = DataOf<typeof emailAccepted>;
export type CopyOutcome = DataOf<typeof emailHandedOver>['outcomes'][number];

export type EmailCommand =
  | { readonly kind: 'accept'; readonly facts: EmailFacts }
  | {
      readonly kind: 'conclude';
      readonly answers: readonly CopyAnswer[];
      readonly note?: string | undefined;
      readonly at: string;
    }
  | {
      readonly kind: 'record_try';
      readonly index: number;
      readonly answer: CopyAnswer;
      readonly last: boolean;
      readonly at: string;
    }
  | { readonly kind: 'interrupt'; readonly at: string };

export const emailStream = (emailId: string): string => `email-${emailId}`;

/** One message. Only the copies still waiting for another try keep a concluded message from being final. */
export type Email =
  | { readonly state: 'new' }
  | { readonly state: 'accepted'; readonly facts: EmailFacts }
  | { readonly state: 'concluded'; readonly facts: EmailFacts; readonly deferred: readonly number[] };

/** The life of a message: accepted, then concluded exactly once; deferred copies may be tried again after that. */
export const email: Decider<Email, EmailCommand, EmailEvent> = {
  initial: { state: 'new' },

  decide: (command, state) => {
    switch (command.kind) {
      case 'accept':
        if (state.state !== 'new') throw new Refusal('email_exists', 'this message was accepted before');
        return [{ type: emailAccepted.type, data: command.facts }];
      case 'conclude':
        return [conclusionOf(accepted(state), command.answers, command.at, command.note)];
      case 'interrupt':
        return [interruptionOf(accepted(state), command.at)];
      case 'record_try':
        return retried(state, command);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'email-send.email-accepted.v1':
        return { state: 'accepted', facts: event.data };
      case 'email-send.email-handed-over.v1':
        return settled(state, deferredIn(event.data.outcomes));
      case 'email-send.email-copy-retried.v1':
        return settled(state, afterTry(state, event.data.outcome));
      case 'email-send.email-not-handed-over.v1':
      case 'email-send.email-interrupted.v1':
        return settled(state, []);
    }
  },
};

/** How the hand-over of a message that was let in ended, by the answers of its recipients in order. */
export const conclusionOf = (
  facts: EmailFacts,
  answers: readonly CopyAnswer[],
  at: string,
  note?: string,
): EventOf<typeof emailHandedOver | typeof emailNotHandedOver> =>
  concluded(facts, judgeHandOver(answers, note), { answers, at });

/** What ends a message of which nothing was handed over, and nothing may have been. */
export const nothingHandedOver = (
  { email_id, service_id }: EmailFacts,
  reason: string,
  at: string,
): EventOf<typeof emailNotHandedOver> => ({
  type: emailNotHandedOver.type,
  data: { email_id, service_id, reason, at },
});

/** What closes a message whose process died with it. */
export const interruptionOf = ({ email_id, service_id }: EmailFacts, at: string): EventOf<typeof emailInterrupted> => ({
  type: emailInterrupted.type,
  data: { email_id, service_id, at },
});

/** A message is final when nothing of it will be tried again; only then may its body go. */
export const isFinal = (state: Email): boolean => state.state === 'concluded' && state.deferred.length === 0;

function accepted(state: Email): EmailFacts {
  if (state.state !== 'accepted') throw new Refusal('email_concluded', 'this message is not under way');
  return state.facts;
}

function concluded(
  { email_id, service_id, recipients }: EmailFacts,
  verdict: HandOverVerdict,
  { answers, at }: { readonly answers: readonly CopyAnswer[]; readonly at: string },
): EventOf<typeof emailHandedOver | typeof emailNotHandedOver> {
  if (verdict.kind === 'nothing_handed_over') {
    return { type: emailNotHandedOver.type, data: { email_id, service_id, reason: verdict.reason, at } };
  }
  const outcomes = recipients.map((recipient, place) => outcomeOf(recipient, answers[place]!, at));
  const { status, message } = verdict;
  return { type: emailHandedOver.type, data: { email_id, service_id, status, message, outcomes } };
}

function retried(state: Email, command: Extract<EmailCommand, { kind: 'record_try' }>): EmailEvent[] {
  if (state.state !== 'concluded' || !state.deferred.includes(command.index)) return [];
  const { email_id, service_id, recipients } = state.facts;
  const recipient = recipients.find(({ index }) => index === command.index);
  if (!recipient) return [];
  const outcome = outcomeOf(recipient, command.answer, command.at);
  const expired = outcome.result === 'deferred' && command.last;
  return [
    {
      type: emailCopyRetried.type,
      data: { email_id, service_id, outcome: expired ? { ...outcome, result: 'expired' } : outcome },
    },
  ];
}

function settled(state: Email, deferred: readonly number[]): Email {
  return state.state === 'new' ? state : { state: 'concluded', facts: state.facts, deferred };
}

function deferredIn(outcomes: readonly CopyOutcome[]): number[] {
  return outcomes.filter(({ result }) => result === 'deferred').map(({ index }) => index);
}

function afterTry(state: Email, { index, result }: CopyOutcome): readonly number[] {
  const deferred = state.state === 'concluded' ? state.deferred : [];
  return result === 'deferred' ? deferred : deferred.filter(other => other !== index);
}
