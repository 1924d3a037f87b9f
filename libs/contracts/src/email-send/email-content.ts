import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { ofService } from './email-services.js';
import { emailRecord, USER_SENDING_REFUSALS } from './emails.js';
import { MAX_RECIPIENTS } from './send-email-body.js';

const request = requestsOf('email-send');

const MESSAGE = '/email-services/{service_id}/emails/{email_id}';
const KEPT = { service_not_found: 404, email_not_found: 404, content_deleted: 410 } as const;

/** Longer parts are truncated, so that a reply always fits into a NATS message. */
export const MAX_CONTENT_LENGTH = 1024 * 1024;

/** A file of a message, without its content. */
export const emailFile = z.object({
  filename: z.string().nullable().describe('Null if the message does not name the file.'),
  content_type: z.string().describe('The media type, such as `application/pdf`.'),
  size_bytes: z.number().int().describe('The size of the decoded file.'),
  is_inline: z.boolean().describe('Whether the message shows it in its body, such as an image of the HTML.'),
});
export type EmailFile = z.output<typeof emailFile>;

export const emailContent = z.object({
  html: z.string().nullable().describe('The HTML body as it was given; null if there is none.'),
  text: z.string().nullable().describe('The plain-text body, derived from the HTML body if none was given.'),
  headers: z.record(z.string(), z.string()).describe('The header fields of the message, unfolded.'),
  attachments: z.array(emailFile).describe('The files of the message, in their order.'),
  raw: z
    .string()
    .describe(
      'The source of the message, without signatures, tracking links and pixel, so that reading it counts as nothing.',
    ),
});
export type EmailContent = z.output<typeof emailContent>;

/** The content of a message while its body is kept; a part of more than 1 MiB is truncated. */
export const getEmailContent = request('get-email-content', {
  request: ofService.extend({ email_id: id }),
  reply: emailContent,
  refusals: KEPT,
  http: {
    operation: 'Messages.content',
    method: 'GET',
    path: `${MESSAGE}/content`,
    access: 'session',
    summary: 'Get the content of a message while it is stored',
    description:
      'A body is kept for 7 days unless the administrator sets another time. A part of more than 1 MiB is cut.',
  },
});

const addresses = z.array(z.string()).max(MAX_RECIPIENTS);

/** A new message with the content of an earlier one, while its body is kept. */
export const sendEmailAgain = request('send-email-again', {
  request: ofService.extend({
    email_id: id,
    to: addresses.min(1).describe('Recipients. `to`, `cc` and `bcc` together have at most 50 addresses.'),
    cc: addresses.default([]),
    bcc: addresses.default([]),
  }),
  reply: emailRecord,
  refusals: { ...KEPT, ...USER_SENDING_REFUSALS },
  deadlineMs: 30_000,
  http: {
    operation: 'Messages.sendAgain',
    method: 'POST',
    path: `${MESSAGE}/send-again`,
    access: 'session',
    summary: 'Send the content of a message as a new message, by the rules of POST /emails',
    description:
      'The new message has the sender, subject, content, files, headers and tags of the earlier one, and an id of its own. It counts toward the limits. The answer is 410 once the content is deleted.',
  },
});
