import type { WebhookEvent } from '../api-types.js';
import { type VerifyOptions, verifyWebhook, type WebhookHeaders, WebhookVerificationError } from './verify.js';

/** How an application receives events. */
export interface WebhookReceiver extends Pick<VerifyOptions, 'secret' | 'toleranceS'> {
  /**
   * Processes an event within 10 seconds. If it throws, Postern sends the event again later. Events can arrive twice;
   * `email_id`, `event` and `timestamp` identify a duplicate.
   */
  readonly onEvent: (event: WebhookEvent) => unknown;
  /** Gets what `onEvent` has thrown; by default it is written to the console. */
  readonly onError?: (error: unknown) => void;
}

/** The status and text that answer the call of a webhook. */
export interface WebhookAnswer {
  readonly status: 204 | 401 | 500;
  readonly text: string;
}

/** Verifies a call and passes its event on: 204, 401 for a wrong signature, 500 if `onEvent` throws. */
export const receiveWebhook = async (
  { secret, toleranceS, onEvent, onError = console.error }: WebhookReceiver,
  body: string | Uint8Array,
  headers: WebhookHeaders,
): Promise<WebhookAnswer> => {
  let event: WebhookEvent;
  try {
    event = await verifyWebhook({ body, headers, secret, ...(toleranceS === undefined ? {} : { toleranceS }) });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { status: 401, text: error.message };
    onError(error);
    return { status: 500, text: 'The event could not be verified.' };
  }
  try {
    await onEvent(event);
    return { status: 204, text: '' };
  } catch (error) {
    onError(error);
    return { status: 500, text: 'The event could not be processed.' };
  }
};
