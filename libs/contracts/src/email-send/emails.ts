import { z } from 'zod';
import { fieldHints } from '../field-hints.js';
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

export const MAX_ATTACHMENTS = 50;

const addresses = z.array(z.string());

/** A file of a message. email-send checks its name, type and content. */
export const emailAttachment = z.strictObject({
  filename: z.string().describe('Name of the file. Path separators and control characters are replaced.'),
  content: z.string().describe('The file in base64.'),
  content_type: z
    .string()
    .optional()
    .describe('Media type, such as `application/pdf`. Without it, the ending of the name determines the type.'),
  content_id: z
    .string()
    .optional()
    .describe('Id of an inline image, which the HTML body shows with `<img src="cid:…">`.'),
});

/** The shape of the body of POST /emails. email-send checks addresses, headers and limits. */
export const sendEmailBody = z.strictObject({
  from: z
    .string()
    .describe(
      'Sender: `ada@example.com` or `Ada <ada@example.com>`. In production, its domain must be verified for the email ' +
        'service; otherwise the message is sent from the sandbox sender.',
    ),
  to: addresses.describe('Recipients. `to`, `cc` and `bcc` together have at most 50 addresses.'),
  cc: addresses.default([]).describe('CC recipients, visible to all recipients.'),
  bcc: addresses.default([]).describe('BCC recipients, hidden from all other recipients.'),
  reply_to: addresses.optional().describe('Addresses in the Reply-To header, which receive replies.'),
  subject: z.string().describe('Plain text without line breaks, at most 998 characters.'),
  message: z.string().optional().describe('HTML body. The text part is derived from it if `text` is absent.'),
  text: z.string().optional().describe('Plain-text body. Required if `message` is absent.'),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe('Extra headers. Names start with `X-`; values have at most 998 characters. At most 50 headers.'),
  attachments: z.array(emailAttachment).optional().describe('Files, at most 50.'),
  in_reply_to: z.string().optional().describe('Message-ID of the message that this one answers.'),
  references: z
    .array(z.string())
    .optional()
    .describe('Message-IDs of the earlier messages of the conversation, the oldest first. At most 100.'),
  list_unsubscribe: z
    .strictObject({
      url: z.string().optional().describe('Page to unsubscribe, http or https.'),
      mailto: z.string().optional().describe('Address at which a mail unsubscribes its author.'),
      one_click: z
        .boolean()
        .optional()
        .describe('Mail programs may unsubscribe with a POST request to `url` (RFC 8058), which must be https.'),
    })
    .optional()
    .describe('How to unsubscribe, for the button of mail programs (List-Unsubscribe). Needs `url` or `mailto`.'),
  tracking: z
    .strictObject({
      opens: z.boolean().optional().describe('Instead of the setting of the email service.'),
      clicks: z.boolean().optional().describe('Instead of the setting of the email service.'),
    })
    .optional()
    .describe('Open and click tracking of this message. A link with `data-postern-track="off"` is never tracked.'),
});

const HTML_FIELD = 'The HTML body is the field "message".';
const TEXT_FIELD = 'The plain-text body is the field "text".';
const NO_SCHEDULE = 'A message is sent at once; it cannot be scheduled.';

fieldHints.add(sendEmailBody, {
  oneOf: ['message', 'text'],
  unknown: {
    html: HTML_FIELD,
    htmlbody: HTML_FIELD,
    body: `${HTML_FIELD} ${TEXT_FIELD}`,
    content: `${HTML_FIELD} ${TEXT_FIELD}`,
    react: 'Render the component to HTML and send it in the field "message".',
    plain: TEXT_FIELD,
    textbody: TEXT_FIELD,
    sender: 'The sender is the field "from".',
    recipients: 'Recipients are in the fields "to", "cc" and "bcc".',
    attachment: 'Files are in the field "attachments".',
    inreplyto: 'The field is "in_reply_to".',
    listunsubscribe: 'The field is "list_unsubscribe".',
    tags: 'Use headers named X-… for your own data.',
    metadata: 'Use headers named X-… for your own data.',
    scheduledat: NO_SCHEDULE,
    sendat: NO_SCHEDULE,
  },
});
const sendEmailExample = {
  from: 'Ada <ada@example.com>',
  to: ['grace@example.org'],
  subject: 'Your receipt',
  message: '<p>Thank you for your order.</p>',
  headers: { 'X-Order-Id': '1234' },
};

const WITHOUT_LINE_BREAKS = /^[^\r\n]*$/;
const documentedAddresses = addresses.max(MAX_RECIPIENTS);
const { to, cc, bcc, subject, headers } = sendEmailBody.shape;

/** With the limits that email-send checks, for clients that validate before they send. */
const documentedBody = sendEmailBody.extend({
  to: documentedAddresses.min(1).describe(to.description ?? ''),
  cc: documentedAddresses.default([]).describe(cc.description ?? ''),
  bcc: documentedAddresses.default([]).describe(bcc.description ?? ''),
  subject: z
    .string()
    .max(MAX_SUBJECT_LENGTH)
    .regex(WITHOUT_LINE_BREAKS)
    .describe(subject.description ?? ''),
  headers: z
    .record(
      z.string().regex(/^[Xx]-[A-Za-z0-9-]{1,70}$/),
      z.string().max(MAX_HEADER_VALUE_LENGTH).regex(WITHOUT_LINE_BREAKS),
    )
    .default({})
    .meta({ maxProperties: MAX_EXTRA_HEADERS })
    .describe(headers.description ?? ''),
});

/**
 * The body of POST /emails in the documentation: with `message` and perhaps `text`, or with `text` alone. Every body fits
 * exactly one of them. Titles name generated types.
 */
export const sendEmailDocumentation = z
  .xor([
    documentedBody
      .extend({ message: z.string().describe(sendEmailBody.shape.message.description ?? '') })
      .meta({ title: 'HtmlEmail' }),
    documentedBody
      .omit({ message: true })
      .extend({ text: z.string().describe(sendEmailBody.shape.text.description ?? '') })
      .meta({ title: 'TextEmail' }),
  ])
  .describe('A message with an HTML body, a plain-text body, or both.');

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
  message: z.string().describe('What happened, in words.'),
});

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
    body_hash: z
      .string()
      .describe('SHA-256 of the body as received; earlier releases use it to detect a reused idempotency key.'),
    email_id: id.optional().describe('Id of the message, chosen before the first attempt so that retries are safe.'),
    answer_by: timestamp.optional().describe('When the client stops waiting, by the clock of the gateway.'),
    answer_within_ms: answerWithinMs.optional(),
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
export const MAX_SUBMITTED_BYTES = 10 * MIB;

/** A message that an application submits over SMTP, with its MIME structure; otherwise as `send-email`. */
export const submitEmail = request('submit-email', {
  request: z.object({
    api_key_hash: apiKeyHash,
    idempotency_key: idempotencyKey.optional(),
    email_id: id,
    answer_by: timestamp,
    answer_within_ms: answerWithinMs.optional(),
    recipients: z.array(z.string().max(320)).min(1).max(MAX_RECIPIENTS).describe('Of the envelope.'),
    content: z
      .base64()
      .max(Math.ceil(MAX_SUBMITTED_BYTES / 3) * 4)
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
