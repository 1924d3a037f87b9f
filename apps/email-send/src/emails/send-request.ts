import { hash } from 'node:crypto';
import type { RequestOf, sendEmail } from '@postern/contracts';
import { requestDeadline } from '@postern/messaging';
import type { Sender } from '../api-keys/ports.js';
import type { EmailDraft } from './email-draft.js';
import type { AdmissionContext } from './ports.js';

/** A request to send one message, however it arrived. */
export interface SendRequest extends Pick<RequestOf<typeof sendEmail>, SharedField> {
  /** Who sends it: the service of the API key, or of a user. Rejects with the refusal of an invalid one. */
  readonly sender: () => Promise<Sender>;
  /** Equal for equal messages. */
  readonly canonical: string;
  /** The size of the content, as far as it may be large. */
  readonly bytes?: number;
  /** Validates the message. @throws the refusal of an invalid one. */
  readonly draft: (sender: Sender) => EmailDraft | Promise<EmailDraft>;
}
type SharedField = 'idempotency_key' | 'email_id' | 'answer_within_ms';

export function contextOf(request: SendRequest, emailId: string, sender: Sender, at: Date): AdmissionContext {
  const { serviceId, perMinuteLimit, dailyLimit, sharedDailyLimit } = sender;
  const leftMs = request.answer_within_ms - (requestDeadline()?.elapsedMs() ?? 0);
  return {
    serviceId,
    emailId,
    perMinuteLimit,
    dailyLimit,
    sharedDailyLimit,
    fingerprint: fingerprintOf(serviceId, request),
    idempotencyKey: request.idempotency_key,
    at,
    answerBy: new Date(at.getTime() + leftMs),
  };
}

/** 128 bits of a hash over service and message, written as a UUID. */
function fingerprintOf(serviceId: string, { canonical }: SendRequest): string {
  const digest = hash('sha256', `${serviceId}\n${canonical}`, 'hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
