import type { Refusal } from '@postern/contracts';
import { type EmailRefusalCode, emailRefusal } from './email-refusals.js';

/** How long a key is remembered for its email service. */
export const IDEMPOTENCY_HOURS = 24;

/** An earlier request under the same key of the same email service. */
export interface EarlierRequest {
  readonly bodyHash: string;
  /** False while its message is under way. */
  readonly isAnswered: boolean;
}

/** The refusal that a request meets because of an earlier one, or undefined where the earlier answer is given again. */
export function refusalOfRepeat(earlier: EarlierRequest, bodyHash: string): Refusal<EmailRefusalCode> | undefined {
  if (earlier.bodyHash !== bodyHash) {
    return emailRefusal('idempotency_key_reused', 'this Idempotency-Key was used with another body');
  }
  if (earlier.isAnswered) return undefined;
  return emailRefusal('idempotency_key_in_flight', 'the request with this Idempotency-Key is still under way', {
    retry_after_s: 1,
  });
}
