import {
  type DataOf,
  type EventOf,
  emailAccepted,
  emailCopyRetried,
  emailHandedOver,
  emailInterrupted,
  emailNotHandedOver,
  type ReplyOf,
  type sendEmail,
} from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';
import type { Mailbox } from '@postern/mail';
import { type CopyAnswer, type CopyOutcome, concludeHandOver, INTERRUPTED, outcomeOf } from '../relay/hand-over.js';

/** Shows that the relay accepted a copy whose answer was lost. */
export interface Evidence {
  /** The index of the recipient. */
  readonly index: number;
  /** `answered`: the relay answered after other replicas considered the process dead. */
  readonly kind: 'delivered' | 'bounced' | 'complained' | 'opened' | 'clicked' | 'answered';
  readonly at: string;
}

/** Not published: delivery-tracking has the same evidence itself. */
export interface EmailConfirmed {
  readonly type: 'email-send.email-confirmed.v1';
  readonly data: {
    readonly email_id: string;
    readonly service_id: string;
    readonly index: number;
    readonly evidence: Evidence['kind'];
    readonly at: string;
  };
}

const NAMES: Readonly<Record<Evidence['kind'], string>> = {
  delivered: 'a delivery notification',
  bounced: 'a bounce',
  complained: 'a complaint',
  opened: 'an open',
  clicked: 'a click',
  answered: 'its late answer',
};

/** The message of a record whose outcome was unknown until evidence arrived. */
export const confirmedBy = (kind: Evidence['kind']): string =>
  `Sent to the relay: its answer was lost, but ${NAMES[kind]} shows that it accepted the message.`;

export type EmailEvent =
  | EventOf<
      | typeof emailAccepted
      | typeof emailHandedOver
      | typeof emailCopyRetried
      | typeof emailNotHandedOver
      | typeof emailInterrupted
    >
  | EmailConfirmed;
export type EmailFacts = DataOf<typeof emailAccepted>;

/** Commands that end the hand-over of a message. */
export type ConcludingCommand =
  | {
      readonly kind: 'conclude';
      readonly answers: readonly CopyAnswer[];
      readonly note?: string | undefined;
      readonly at: string;
    }
  /** No copy was handed over. */
  | { readonly kind: 'give_up'; readonly reason: string; readonly at: string }
  /** The process died between acceptance and outcome. */
  | { readonly kind: 'interrupt'; readonly at: string };

export type EmailCommand =
  | { readonly kind: 'accept'; readonly facts: EmailFacts }
  | ConcludingCommand
  | {
      readonly kind: 'record_try';
      readonly index: number;
      readonly answer: CopyAnswer;
      readonly last: boolean;
      readonly at: string;
    }
  | { readonly kind: 'confirm'; readonly evidence: Evidence };

/** The published events of messages. */
export const EMAIL_EVENTS = [
  emailAccepted,
  emailHandedOver,
  emailCopyRetried,
  emailNotHandedOver,
  emailInterrupted,
] as const;

export const emailStream = (emailId: string): string => `email-${emailId}`;

export interface AcceptedEmail {
  readonly state: 'accepted';
  readonly facts: EmailFacts;
  /** Arrived before the outcome was recorded. */
  readonly evidence?: Evidence;
}

export interface ConcludedEmail {
  readonly state: 'concluded';
  readonly facts: EmailFacts;
  /** Recipients whose copies wait for a retry. */
  readonly deferred: readonly number[];
  /** Recipients whose copies the relay may have accepted. */
  readonly unknown: readonly number[];
  readonly status: 'sent' | 'failed';
  readonly message: string;
  /** False when no copy was handed over, so that a retry of the request is a new message. */
  readonly handedOver: boolean;
}

/** One message. A concluded message is final when no copy waits for a retry. */
export type Email = { readonly state: 'new' } | AcceptedEmail | ConcludedEmail;

/**
 * A message is accepted, then concluded exactly once. Deferred copies may be retried after that, and evidence changes a
 * failure with an unknown outcome to `sent`, in whichever order the two are recorded.
 */
export const email: Decider<Email, EmailCommand, EmailEvent> = {
  initial: { state: 'new' },

  decide: (command, state) => {
    switch (command.kind) {
      case 'accept':
        if (state.state !== 'new') throw new Refusal('email_exists', 'this message was accepted before');
        return [{ type: emailAccepted.type, data: command.facts }];
      case 'conclude':
        return [concluded(accepted(state).facts, command)];
      case 'give_up':
        return [notHandedOver(accepted(state).facts, command.reason, command.at)];
      case 'interrupt': {
        const { email_id, service_id } = accepted(state).facts;
        return [{ type: emailInterrupted.type, data: { email_id, service_id, at: command.at } }];
      }
      case 'record_try':
        return retried(state, command);
      case 'confirm':
        return confirmed(state, command.evidence);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'email-send.email-accepted.v1':
        return { state: 'accepted', facts: event.data };
      case 'email-send.email-handed-over.v1': {
        const { outcomes, status, message } = event.data;
        return settled(state, {
          deferred: indexesOf(outcomes, 'deferred'),
          unknown: indexesOf(outcomes, 'unknown'),
          status,
          message,
          handedOver: true,
        });
      }
      case 'email-send.email-copy-retried.v1':
        return state.state === 'concluded' ? afterTry(state, event.data.outcome) : state;
      case 'email-send.email-not-handed-over.v1': {
        const message = `Not sent: ${event.data.reason}`;
        return settled(state, { deferred: [], unknown: [], status: 'failed', message, handedOver: false });
      }
      case 'email-send.email-interrupted.v1':
        return settled(state, {
          deferred: [],
          unknown: state.state === 'accepted' ? state.facts.recipients.map(({ index }) => index) : [],
          status: 'failed',
          message: INTERRUPTED,
          handedOver: true,
        });
      case 'email-send.email-confirmed.v1': {
        const { index, evidence: kind, at } = event.data;
        if (state.state === 'accepted') return { ...state, evidence: { index, kind, at } };
        return state.state === 'concluded' ? { ...state, ...resolvedBy(state, { index, kind, at }) } : state;
      }
    }
  },
};

/** Whether no copy will be retried; only then the body may be deleted. */
export const isFinal = (state: Email): boolean => state.state === 'concluded' && state.deferred.length === 0;

/** Whether the outcome of the message is unknown until evidence arrives. */
export const isUnresolved = ({ status, unknown }: ConcludedEmail): boolean => status === 'failed' && unknown.length > 0;

function accepted(state: Email): AcceptedEmail {
  if (state.state !== 'accepted') throw new Refusal('email_concluded', 'this message is not in progress');
  return state;
}

function concluded(
  facts: EmailFacts,
  { answers, note, at }: Extract<EmailCommand, { kind: 'conclude' }>,
): EventOf<typeof emailHandedOver | typeof emailNotHandedOver> {
  const verdict = concludeHandOver(answers, note);
  if (verdict.kind === 'nothing_handed_over') return notHandedOver(facts, verdict.reason, at);
  const { email_id, service_id, recipients } = facts;
  const outcomes = recipients.map((recipient, place) => outcomeOf(recipient, answers[place]!, at));
  const { status, message } = verdict;
  return { type: emailHandedOver.type, data: { email_id, service_id, status, message, outcomes } };
}

const notHandedOver = (
  { email_id, service_id }: EmailFacts,
  reason: string,
  at: string,
): EventOf<typeof emailNotHandedOver> => ({
  type: emailNotHandedOver.type,
  data: { email_id, service_id, reason, at },
});

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

/** Evidence is recorded once, and only if it changes the outcome: a message that is `sent` stays so. */
function confirmed(state: Email, evidence: Evidence): EmailConfirmed[] {
  const changesOutcome =
    state.state === 'accepted'
      ? state.evidence === undefined && state.facts.recipients.some(({ index }) => index === evidence.index)
      : state.state === 'concluded' && isResolvedBy(state, evidence);
  if (!changesOutcome || state.state === 'new') return [];
  const { email_id, service_id } = state.facts;
  const { index, kind, at } = evidence;
  return [{ type: 'email-send.email-confirmed.v1', data: { email_id, service_id, index, evidence: kind, at } }];
}

function settled(state: Email, outcome: Omit<ConcludedEmail, 'state' | 'facts'>): Email {
  if (state.state === 'new') return state;
  const concludedNow: ConcludedEmail = { state: 'concluded', facts: state.facts, ...outcome };
  if (state.state === 'concluded' || !state.evidence) return concludedNow;
  return { ...concludedNow, ...resolvedBy(concludedNow, state.evidence) };
}

/** Evidence of a deferred copy shows that the relay accepted a retry whose outcome is not recorded yet. */
const isResolvedBy = (state: ConcludedEmail, { index }: Pick<Evidence, 'index'>): boolean =>
  isUnresolved(state) && (state.unknown.includes(index) || state.deferred.includes(index));

function resolvedBy(
  state: ConcludedEmail,
  { index, kind }: Evidence,
): Pick<ConcludedEmail, 'status' | 'message' | 'unknown'> {
  if (!isResolvedBy(state, { index })) return state;
  return {
    status: 'sent',
    message: confirmedBy(kind),
    unknown: state.unknown.filter(other => other !== index),
  };
}

function indexesOf(outcomes: readonly CopyOutcome[], wanted: CopyOutcome['result']): number[] {
  return outcomes.filter(({ result }) => result === wanted).map(({ index }) => index);
}

/** A retry that the relay accepts makes the message `sent`, even if the outcome of other copies is unknown. */
function afterTry(state: ConcludedEmail, { index, result }: CopyOutcome): ConcludedEmail {
  if (result === 'deferred') return state;
  const deferred = state.deferred.filter(other => other !== index);
  if (result === 'unknown') return { ...state, deferred, unknown: [...state.unknown, index] };
  if (result !== 'accepted' || state.status === 'sent') return { ...state, deferred };
  return { ...state, deferred, status: 'sent', message: 'Sent to the relay on a retry.' };
}

/** The record that POST /emails and GET /emails/{id} return. */
export type EmailRecord = ReplyOf<typeof sendEmail>['email'];

/** The record of a message whose hand-over has ended. */
export function recordOf({ facts, status, message }: ConcludedEmail): EmailRecord {
  const to = facts.recipients.filter(({ role }) => role === 'to').map(({ address }) => address);
  return { id: facts.email_id, status, mode: facts.mode, from: facts.from, to, message };
}

/** A mailbox in readable form: any script, the name quoted only if necessary. */
export function displayed({ name, address }: Mailbox): string {
  if (name === undefined) return address;
  const isPlain = /^[\p{L}\p{M}\p{N} _'’&!-]+$/u.test(name);
  return isPlain ? `${name} <${address}>` : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
}
