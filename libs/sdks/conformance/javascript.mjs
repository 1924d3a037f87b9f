/** Carries out one call of the conformance tests: JSON from the standard input, its outcome to the standard output. */
import { json } from 'node:stream/consumers';
import {
  ApiError,
  ConnectionError,
  Postern,
  PosternError,
  verifyWebhook,
  WebhookVerificationError,
} from '@postern/sdk';

const request = await json(process.stdin);

const carriedOut = () => {
  if (request.call === 'verify') {
    const { body, headers, secrets, now } = request;
    return verifyWebhook({ body, headers, secret: secrets, now: now * 1_000 });
  }
  const { timeout_s, max_retries, max_retry_after_s } = request.options ?? {};
  const postern = new Postern(request.key ?? 'em_live_key', {
    baseUrl: request.url,
    ...(timeout_s === undefined ? {} : { timeoutMs: timeout_s * 1_000 }),
    ...(max_retries === undefined ? {} : { maxRetries: max_retries }),
    ...(max_retry_after_s === undefined ? {} : { maxRetryAfterS: max_retry_after_s }),
  });
  const options = { idempotencyKey: request.idempotency_key };
  if (request.call === 'send') return postern.emails.send(request.email, options);
  if (request.call === 'batch') return postern.emails.sendBatch(request.emails, options);
  if (request.call === 'get') return postern.emails.get(request.id);
  return postern.scheduledEmails.create(request.send_at, request.email, options);
};

const failure = error => {
  if (error instanceof ApiError) {
    const { message, status, code = null, requestId = null, retryAfterS = null, emailId = null } = error;
    return { error: 'api', message, status, code, request_id: requestId, retry_after: retryAfterS, email_id: emailId };
  }
  if (error instanceof WebhookVerificationError) return { error: 'webhook', reason: error.reason };
  if (error instanceof ConnectionError) return { error: 'connection' };
  if (error instanceof PosternError) return { error: 'usage', message: error.message };
  throw error;
};

let outcome;
try {
  outcome = { reply: await carriedOut() };
} catch (error) {
  outcome = failure(error);
}
console.log(JSON.stringify(outcome));
