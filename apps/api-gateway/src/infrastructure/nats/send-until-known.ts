import { setTimeout } from 'node:timers/promises';
import { Refusal, type ReplyOf, type RequestInput, type sendEmail, type submitEmail } from '@postern/contracts';
import { Backoff, isUnanswered, ServiceUnavailable } from '@postern/messaging';
import { OutcomeUnknown } from '../http/errors/outcome-unknown.js';
import type { ServiceClient, ServiceContext } from '../service-client/ports.js';

type Contract = typeof sendEmail | typeof submitEmail;
type Request<C extends Contract> = RequestInput<C> & { readonly email_id: string };

/** Timeout of one attempt; the next one may reach another replica. */
const ATTEMPT_MS = 8_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;

/** Refusals with the final outcome of this message; other refusals may change with the next attempt. */
const FINAL = new Set(['relay_unavailable', 'idempotency_key_reused', 'invalid_email']);

/** The time left for the response. A body that arrived slowly leaves at least a third of it. */
export const answerWithin = (elapsedMs: number, withinMs: number): number =>
  Math.max(withinMs - elapsedMs, withinMs / 3);

/**
 * Sends the request to email-send repeatedly until the outcome is known. Every attempt has the same id, so the message
 * is not sent twice. A failure that certainly had no effect ends the attempts, unless an earlier attempt may have had
 * one.
 * @param pause waits between two attempts.
 */
export const sendUntilKnown = async <C extends Contract>(
  services: ServiceClient,
  contract: C,
  request: Request<C>,
  context: Omit<ServiceContext, 'deadlineMs'>,
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Promise<ReplyOf<typeof sendEmail>> => {
  const until = performance.now() + request.answer_within_ms;
  let unknown: OutcomeUnknown | undefined;
  const backoff = Backoff.exponential({ firstMs: FIRST_PAUSE_MS, maxMs: MAX_PAUSE_MS });
  for (;;) {
    const remainingMs = until - performance.now();
    if (remainingMs <= 0) throw unknown ?? new ServiceUnavailable(contract.subject, 'expired', false);
    try {
      return await services.request<Contract>(
        contract,
        { ...request, answer_within_ms: remainingMs },
        {
          ...context,
          deadlineMs: Math.min(ATTEMPT_MS, remainingMs),
        },
      );
    } catch (error) {
      const possible = possibleEmail(error, request.email_id);
      // A refusal of email-send is more precise than a later attempt without a reply.
      if (possible !== undefined && (Refusal.is(error) || !unknown))
        unknown = new OutcomeUnknown(possible, { cause: error });
      if (possible === undefined && (!unknown || (Refusal.is(error) && FINAL.has(error.code)))) throw error;
    }
    await pause(Math.min(backoff.next(), Math.max(0, until - performance.now())));
  }
};

/**
 * The id of the message that may have been sent, according to an attempt's error; undefined if the attempt had no
 * effect.
 */
const possibleEmail = (error: unknown, emailId: string): string | undefined => {
  if (Refusal.is(error)) {
    const { email_id } = error.details;
    return error.code === 'outcome_unknown' && typeof email_id === 'string' ? email_id : undefined;
  }
  return isUnanswered(error) && error.maybeExecuted ? emailId : undefined;
};
