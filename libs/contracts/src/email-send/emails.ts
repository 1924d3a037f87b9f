import { z } from 'zod';
import { MIB } from '../http-route.js';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';

const request = requestsOf('email-send', ['api-gateway']);

/** The largest body of POST /emails. */
export const MAX_EMAIL_BYTES = 10 * MIB;
export const MAX_RECIPIENTS = 50;
export const MAX_SUBJECT_LENGTH = 998;
export const MAX_EXTRA_HEADERS = 50;
export const MAX_HEADER_VALUE_LENGTH = 998;

const addresses = z.array(z.string());

/** The shape of the body of POST /emails. email-send checks addresses, headers and limits. */
export const sendEmailBody = z.strictObject({
  from: z.string(),
  to: addresses,
  cc: addresses.default([]),
  bcc: addresses.default([]),
  reply_to: addresses.optional(),
  subject: z.string(),
  message: z.string().optional().describe('HTML body. The text part is derived from it if `text` is absent.'),
  text: z.string().optional().describe('Plain-text body.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Extra headers, named X-…'),
});

export const emailMode = z.enum(['production', 'sandbox', 'sandbox_fallback']);
export const emailStatus = z.enum(['sent', 'failed']);

/** The email message record: exactly these six fields, in POST /emails and GET /emails/{id}. */
export const emailRecord = z.object({
  id,
  status: emailStatus,
  mode: emailMode,
  from: z.string().describe('The From address that was used.'),
  to: z.array(z.string()),
  message: z.string().describe('What happened, in words.'),
});

/** The state of the limit that is closest to being reached, for the RateLimit-* headers. */
export const rateLimit = z.object({
  limit: z.int().nonnegative(),
  remaining: z.int().nonnegative(),
  reset_s: z.int().nonnegative().describe('Seconds until the window ends.'),
});

/**
 * All refusals of the email API, with `details.retry_after_s` and `details.rate_limit` where they apply, and
 * `details.email_id` of a message whose outcome is unknown.
 */
export const EMAIL_REFUSALS = {
  api_key_invalid: 401,
  service_disabled: 403,
  invalid_email: 400,
  recipient_not_verified: 400,
  daily_limit_reached: 429,
  minute_limit_reached: 429,
  idempotency_key_reused: 409,
  idempotency_key_in_flight: 409,
  relay_unavailable: 503,
  outcome_unknown: 503,
  deadline_passed: 503,
  email_not_found: 404,
} as const;

/** Lower-case hex SHA-256 of the key that the client sent; the key itself is never sent over NATS. */
export const apiKeyHash = z.string().regex(/^[0-9a-f]{64}$/);

export const sendEmail = request('send-email', {
  request: z.object({
    api_key_hash: apiKeyHash,
    idempotency_key: z.string().min(1).max(255).optional(),
    body_hash: z
      .string()
      .describe('SHA-256 of the body as received; earlier releases use it to detect a reused idempotency key.'),
    email_id: id.optional().describe('Id of the message, chosen before the first attempt so that retries are safe.'),
    answer_by: timestamp.optional().describe('When the client stops waiting; no step starts later.'),
    email: sendEmailBody,
  }),
  reply: z.object({ email: emailRecord, rate_limit: rateLimit, replayed: z.boolean() }),
  refusals: EMAIL_REFUSALS,
  deadlineMs: 30_000,
});

export const getEmail = request('get-email', {
  request: z.object({ api_key_hash: apiKeyHash, email_id: id }),
  reply: emailRecord,
  refusals: { api_key_invalid: 401, service_disabled: 403, email_not_found: 404, outcome_unknown: 503 },
});

/** Lets the gateway answer 401 or 403 before it refuses an invalid body. */
export const authenticateApiKey = request('authenticate-api-key', {
  request: z.object({ api_key_hash: apiKeyHash }),
  reply: z.object({ service_id: id }),
  refusals: { api_key_invalid: 401, service_disabled: 403 },
});
