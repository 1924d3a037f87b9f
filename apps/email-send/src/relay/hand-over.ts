import type { DataOf, emailHandedOver } from '@postern/contracts';

/** The outcome of one copy, as events contain it. */
export type CopyOutcome = DataOf<typeof emailHandedOver>['outcomes'][number];

/** The result of handing over one copy. `unreachable`: no relay could be reached. */
export interface CopyAnswer {
  readonly result: 'accepted' | 'refused' | 'deferred' | 'unreachable' | 'suppressed' | 'unknown';
  /** The relay's response, or the reason why there is none. */
  readonly response: string;
  readonly relay: string | null;
  readonly relayIsFinal: boolean;
}

/** The answer for one copy while its caller waits. */
export interface HandOverAnswer extends CopyAnswer {
  /** The answer of a relay that still considers the copy; never rejects. */
  readonly later?: Promise<CopyAnswer>;
}

/** The result for the whole message. */
export type HandOverOutcome =
  | { readonly kind: 'concluded'; readonly status: 'sent' | 'failed'; readonly message: string }
  /** No copy was handed over: the client can retry the request. */
  | { readonly kind: 'nothing_handed_over'; readonly reason: string };

/** The message of a record with an unknown outcome, after a crash or a lost connection. */
export const INTERRUPTED = 'interrupted: outcome unknown';

/** The answer for a suppressed address: nothing is handed over for it. */
export const suppressedAnswer: CopyAnswer = {
  result: 'suppressed',
  response: 'suppressed: this address bounced or complained before and is on the suppression list of the service',
  relay: null,
  relayIsFinal: false,
};

/** The answer for a copy that could not be composed; a retry would fail as well. */
export const faultyAnswer = (fault: unknown): CopyAnswer => ({
  result: 'refused',
  response: `this copy could not be composed: ${fault instanceof Error ? fault.message : String(fault)}`,
  relay: null,
  relayIsFinal: false,
});

/** The answer for an attempt that a crash cut off. */
export const cutOffAnswer: CopyAnswer = { result: 'unknown', response: INTERRUPTED, relay: null, relayIsFinal: false };

/** Why a copy that waited for a retry may no longer be handed over. */
const WITHDRAWN = {
  service_deleted: 'the email service was deleted',
  service_disabled: 'the email service was disabled',
  domain_removed: 'the sending domain was removed from the email service',
  recipient_removed: 'the address was removed from the verified recipients of the email service',
} as const;
export type WithdrawalReason = keyof typeof WITHDRAWN;

/** The answer for a copy that may no longer be handed over; without an SMTP code, it is a soft bounce. */
export const withdrawnAnswer = (reason: WithdrawalReason): CopyAnswer => ({
  result: 'refused',
  response: `${WITHDRAWN[reason]} before this copy could be handed over`,
  relay: null,
  relayIsFinal: false,
});

/** The answer for a copy that could not be prepared for a relay; before its deadline, it is retried. */
export const unpreparedAnswer = (reason: string): CopyAnswer => ({
  result: 'deferred',
  response: `this copy could not be prepared: ${reason}`,
  relay: null,
  relayIsFinal: false,
});

const isTemporary = ({ result }: CopyAnswer) => result === 'deferred' || result === 'unreachable';

/**
 * One accepted copy makes the message `sent`, and email-send retries temporary failures. Without one, the client retries
 * after a temporary failure, unless the outcome of a copy is unknown: then a retry could send it twice.
 */
export function concludeHandOver(answers: readonly CopyAnswer[], note?: string): HandOverOutcome {
  const accepted = answers.filter(({ result }) => result === 'accepted').length;
  const unknown = answers.some(({ result }) => result === 'unknown');
  const temporary = answers.find(isTemporary);
  if (accepted === 0 && !unknown && temporary) {
    return { kind: 'nothing_handed_over', reason: `no relay accepted the message: ${temporary.response}` };
  }
  const outcome = accepted > 0 ? handedOverTo(accepted, answers.length) : unknown ? INTERRUPTED : 'Failed';
  const rest = problems(answers);
  const summary = rest === '' ? `${outcome}.` : `${outcome}: ${rest}.`;
  return {
    kind: 'concluded',
    status: accepted > 0 ? 'sent' : 'failed',
    message: note === undefined ? summary : `${note} ${summary}`,
  };
}

/** The outcome of one copy, as events contain it. */
export const outcomeOf = (
  recipient: { index: number; address: string },
  answer: CopyAnswer,
  at: string,
): CopyOutcome => ({
  index: recipient.index,
  address: recipient.address,
  result: answer.result === 'unreachable' ? 'deferred' : answer.result,
  smtp_response: answer.response,
  relay: answer.relay,
  relay_is_final: answer.relayIsFinal,
  at,
});

function handedOverTo(accepted: number, all: number): string {
  if (accepted < all) return `Sent to the relay for ${accepted} of ${all} recipients`;
  return all === 1 ? 'Sent to the relay' : `Sent to the relay for ${all} recipients`;
}

function problems(answers: readonly CopyAnswer[]): string {
  const responses = new Set<string>();
  for (const { result, response, relay } of answers) {
    if (result === 'refused') responses.add(relay === null ? response : `the relay refused: ${response}`);
    if (result === 'suppressed') responses.add(response);
    if (result === 'deferred' || result === 'unreachable') responses.add(`will be retried: ${response}`);
    if (result === 'unknown') responses.add(`no answer: ${response}`);
  }
  const listed = [...responses].slice(0, 3);
  return listed.join('; ') + (responses.size > listed.length ? '; …' : '');
}
