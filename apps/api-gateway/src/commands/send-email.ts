import { setTimeout } from 'node:timers/promises';
import { Refusal, type ReplyOf, type RequestInput, sendEmail } from '@postern/contracts';
import { type Asker, OutcomeUnknown, ServiceFault, Services, ServiceUnavailable } from '../ports.js';

type Request = RequestInput<typeof sendEmail> & { readonly email_id: string; readonly answer_by: string };

/** How long one question waits before it is asked again, perhaps of another replica. */
const TRY_MS = 8_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/** Refusals that say what became of this very message, or that it never was one; the others only speak of now. */
const CERTAIN = new Set(['relay_unavailable', 'idempotency_key_reused', 'invalid_email']);

/**
 * Asks email-send to send a message until it is known what became of it, always under the same id, so that asking
 * again never sends twice. As long as nothing can have been done, the first failure is the answer; after that only
 * the client's deadline ends the questions.
 * @param pause waits between two questions.
 */
export const sendUntilKnown = async (
  services: Services,
  request: Request,
  asker: Asker,
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Promise<ReplyOf<typeof sendEmail>> => {
  const answerBy = Date.parse(request.answer_by);
  let unknown: OutcomeUnknown | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const remainingMs = answerBy - Date.now();
    if (remainingMs <= 0) throw unknown ?? new ServiceUnavailable(sendEmail.service, { maybeExecuted: false });
    try {
      return await services.ask(sendEmail, request, asker, { waitMs: Math.min(TRY_MS, remainingMs) });
    } catch (error) {
      const possible = possibleEmail(error, request.email_id);
      // What email-send says counts more than a later question that nobody answered.
      if (possible !== undefined && (Refusal.is(error) || !unknown))
        unknown = new OutcomeUnknown(possible, { cause: error });
      if (possible === undefined && (!unknown || (Refusal.is(error) && CERTAIN.has(error.code)))) throw error;
    }
    await pause(Math.min(pauseMs, Math.max(0, answerBy - Date.now())));
  }
};

/** The message that may have been sent, going by how a question failed; undefined where nothing came of this one. */
const possibleEmail = (error: unknown, emailId: string): string | undefined => {
  if (Refusal.is(error)) {
    const { email_id } = error.details;
    return error.code === 'outcome_unknown' && typeof email_id === 'string' ? email_id : undefined;
  }
  const isCertain = (error instanceof ServiceUnavailable || error instanceof ServiceFault) && !error.maybeExecuted;
  return isCertain || !(error instanceof ServiceUnavailable || error instanceof ServiceFault) ? undefined : emailId;
};
