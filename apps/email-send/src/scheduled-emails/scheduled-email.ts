import type { Refusal } from '@postern/contracts';
import { invalidEmail } from '../emails/email-refusals.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MIN_AHEAD_MS = MINUTE_MS;
const MAX_AHEAD_MS = 30 * DAY_MS;
/** A client computes the time from its own clock, some time before the request arrives. */
const TOLERANCE_MS = 5_000;

/** The time at which to send a message; refuses a time that is too near or too far. */
export function sendTimeOf(text: string, now: Date): Date {
  const sendAt = new Date(text);
  const aheadMs = sendAt.getTime() - now.getTime();
  if (Number.isNaN(aheadMs)) throw invalidEmail('send_at', 'this is not a time such as 2030-01-31T09:00:00Z');
  if (aheadMs < MIN_AHEAD_MS - TOLERANCE_MS) throw invalidEmail('send_at', 'must be at least 1 minute in the future');
  if (aheadMs > MAX_AHEAD_MS + TOLERANCE_MS) throw invalidEmail('send_at', 'must be at most 30 days in the future');
  return sendAt;
}

/** How long a message is tried after its time, while the relay is unavailable or a limit is reached. */
const TRIED_FOR_MS = 4 * 60 * MINUTE_MS;
const RETRY_AFTER_MS = MINUTE_MS;
const MAX_PAUSE_MS = 10 * MINUTE_MS;
/** A message that is in progress in another process gets its outcome soon. */
const UNKNOWN_AFTER_MS = 5_000;

/** What follows from an attempt that returned no record. */
export type Consequence =
  /** The message will not be sent any more. */
  | { readonly kind: 'failed'; readonly error: string; readonly mayBeSent?: boolean }
  /** It was not sent, and is tried again: as a new message if its relay refused it for now. */
  | { readonly kind: 'retry'; readonly at: Date; readonly asNew: boolean; readonly forService: boolean }
  /** It may have been sent: the same message is asked for again. */
  | { readonly kind: 'unknown'; readonly at: Date };

/** Refusals that may not recur, with nothing sent. */
const TEMPORARY = new Set(['minute_limit_reached', 'daily_limit_reached', 'relay_unavailable', 'deadline_passed']);
const LIMITS = new Set(['minute_limit_reached', 'daily_limit_reached']);

/** The consequence of a refusal at the time of sending. */
export function consequenceOf({ code, message, details }: Refusal, sendAt: Date, now: Date): Consequence {
  if (code === 'outcome_unknown') return unknownOutcome(now);
  if (!TEMPORARY.has(code)) return { kind: 'failed', error: code === 'api_key_invalid' ? KEY_REVOKED : message };
  if (isOver(sendAt, now)) return { kind: 'failed', error: message };
  const wantedMs = LIMITS.has(code) ? Number(details['retry_after_s']) * 1_000 || RETRY_AFTER_MS : RETRY_AFTER_MS;
  return {
    kind: 'retry',
    at: new Date(now.getTime() + Math.min(wantedMs, MAX_PAUSE_MS)),
    asNew: code === 'relay_unavailable',
    forService: LIMITS.has(code),
  };
}

const KEY_REVOKED = 'the API key that scheduled this message was revoked';

/** The consequence of an error after which the message may have been sent. */
export const afterError = (sendAt: Date, now: Date): Consequence =>
  isOver(sendAt, now) ? { kind: 'failed', error: 'internal error', mayBeSent: true } : unknownOutcome(now);

const unknownOutcome = (now: Date): Consequence => ({
  kind: 'unknown',
  at: new Date(now.getTime() + UNKNOWN_AFTER_MS),
});

const isOver = (sendAt: Date, now: Date): boolean => now.getTime() >= sendAt.getTime() + TRIED_FOR_MS;
