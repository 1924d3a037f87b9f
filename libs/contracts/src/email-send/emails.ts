import { z } from 'zod';
import { MIB } from '../http-route.js';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { MAX_RECIPIENTS, sendEmailBody } from './send-email-body.js';

const request = requestsOf('email-send', ['api-gateway']);

export const emailMode = z.enum(['production', 'sandbox', 'sandbox_fallback']);
export const emailStatus = z.enum(['sent', 'failed']);

/** The email message record: exactly these six fields, in POST /emails and GET /emails/{id}. */
export const emailRecord = z.object({
  id: id.describe('Id of the message. Events about the message have it as `email_id`.'),
  status: emailStatus.describe(
    '`sent`: the relay accepted the message for at least one recipient. `failed`: it accepted it for none. Events ' +
      'report what happens afterwards.',
  ),
  mode: emailMode.describe(
    '`production`: sent from your domain. `sandbox`: sent from the sandbox sender, to verified recipients only. ' +
      '`sandbox_fallback`: sent from the sandbox sender, because the domain of `from` is not verified.',
  ),
  from: z.string().describe('The From address that was used.'),
  to: z.array(z.string()).describe('The recipients in `to`, as they were sent.'),
  message: z.string().describe('Human-readable result.'),
});
export type EmailRecord = z.output<typeof emailRecord>;

const sendEmailExample = {
  from: 'Ada <ada@example.com>',
  to: ['grace@example.org'],
  subject: 'Your receipt',
  message: '<p>Thank you for your order.</p>',
  headers: { 'X-Order-Id': '1234' },
};

/** Examples for the API documentation; a test checks them against the shapes. */
export const EMAIL_EXAMPLES = {
  body: sendEmailExample,
  reply: {
    id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00',
    status: 'sent',
    mode: 'production',
    from: 'Ada <ada@example.com>',
    to: ['grace@example.org'],
    message: 'Sent to the relay.',
  },
} as const;

/** The state of the limit that is closest to being reached, for the RateLimit-* headers. */
export const rateLimit = z.object({
  limit: z.int().nonnegative(),
  remaining: z.int().nonnegative(),
  reset_s: z.int().nonnegative().describe('Seconds until the window ends.'),
});

/** The bounds of the header `Idempotency-Key`. */
export const idempotencyKey = z.string().min(1).max(255);

/**
 * All refusals of the email API, with `details.retry_after_s` and `details.rate_limit` if they apply, and
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

export type EmailRefusal = keyof typeof EMAIL_REFUSALS;

/** Those of sending. */
const { email_not_found: _ofReading, ...SENDING_REFUSALS } = EMAIL_REFUSALS;

const { api_key_invalid: _ofKeys, ...ofUsers } = SENDING_REFUSALS;
/** Those of a message that a user of the dashboard sends. */
export const USER_SENDING_REFUSALS = ofUsers;

/** Lower-case hex SHA-256 of the key that the client sent; the key itself is never sent over NATS. */
export const apiKeyHash = z.string().regex(/^[0-9a-f]{64}$/);

/** A duration, because the clocks of two machines differ. */
const answerWithinMs = z
  .number()
  .min(0)
  .max(86_400_000)
  .describe('How long the client still waits when this attempt is sent; no step starts later.');

export const sendEmail = request('send-email', {
  request: z.object({
    api_key_hash: apiKeyHash,
    idempotency_key: idempotencyKey.optional(),
    email_id: id.optional().describe('Id of the message, chosen before the first attempt so that retries are safe.'),
    answer_within_ms: answerWithinMs,
    email: sendEmailBody,
  }),
  reply: z.object({
    email: emailRecord,
    rate_limit: rateLimit,
    replayed: z.boolean(),
    message_id: z
      .string()
      .optional()
      .describe('The Message-ID header, without angle brackets; absent in a repeated answer.'),
  }),
  refusals: SENDING_REFUSALS,
  deadlineMs: 30_000,
});

/** The largest message that SMTP submission accepts; as base64 it fits into one NATS message. */
export const MAX_SUBMITTED_BYTES = 36 * MIB;

/**
 * The start of the idempotency key of a submitted message whose client chose one: it identifies the message whatever its content,
 * because mailers write another Date, Message-ID and boundary at each attempt.
 */
export const SUBMISSION_KEY = 'smtp-key:';

/** A message that an application submits over SMTP, with its MIME structure; otherwise as `send-email`. */
export const submitEmail = request('submit-email', {
  request: z.object({
    api_key_hash: apiKeyHash,
    idempotency_key: idempotencyKey.optional(),
    email_id: id,
    answer_within_ms: answerWithinMs,
    recipients: z.array(z.string().max(320)).min(1).max(MAX_RECIPIENTS).describe('Of the envelope.'),
    content: z
      .string()
      .max(Math.ceil(MAX_SUBMITTED_BYTES / 3) * 4)
      .regex(/^[A-Za-z0-9+/]*={0,2}$/)
      .describe('The message as it arrived, base64.'),
  }),
  reply: sendEmail.reply,
  refusals: SENDING_REFUSALS,
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
