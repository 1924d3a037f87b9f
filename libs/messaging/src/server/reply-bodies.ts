import type { RequestContract } from '@postern/contracts';
import type { TemporarilyUnavailable } from '../faults.js';
import type { RefusalBody, ReplyBody } from '../frames.js';
import type { KeyedReply } from './keyed-requests.js';

/** A refusal of another service keeps the status that it arrived with. */
export const withStatus = (
  { code, message, details, status }: RefusalBody,
  { refusals }: RequestContract,
): RefusalBody => ({
  ...{ code, message, details },
  status: refusals[code] ?? status,
});

export const keyedBody = (
  reply: KeyedReply,
  contract: RequestContract,
): ReplyBody & { readonly replayed: boolean | undefined } => ({
  ...('refusal' in reply ? { refusal: withStatus(reply.refusal, contract) } : { ok: reply.ok ?? null }),
  replayed: reply.replayed || undefined,
});

export const unavailableBody = (
  { maybeExecuted, retryAfterS }: TemporarilyUnavailable,
  isWithoutEffect: boolean,
  correlationId: string,
): ReplyBody => {
  const unavailable = Number.isFinite(retryAfterS) ? { retryAfterS } : {};
  if (!maybeExecuted || isWithoutEffect) return { busy: true, unavailable, executed: false };
  return { fault: `temporarily unavailable, logged under correlation id ${correlationId}`, unavailable };
};

/** The outcome in metrics and spans; refusals by code. */
export const outcomeOf = (reply: ReplyBody) => {
  if ('refusal' in reply) return { outcome: 'refused', 'error.type': reply.refusal.code };
  if ('unavailable' in reply) return { outcome: 'unavailable' };
  if ('expired' in reply) return { outcome: 'expired' };
  if ('busy' in reply) return { outcome: 'busy' };
  return { outcome: 'fault' in reply ? 'fault' : 'ok' };
};
