import { z } from 'zod';
import { EMAIL_EXAMPLES, emailRecord } from './emails.js';
import { sendEmailDocumentation } from './send-email-body.js';

export const MAX_BATCH = 100;

/** The list of POST /emails/batch. Its messages are checked one by one. */
export const emailBatch = z.array(z.unknown()).min(1).max(MAX_BATCH);

/** The body of POST /emails/batch in the documentation. */
export const emailBatchDocumentation = z
  .array(sendEmailDocumentation)
  .min(1)
  .max(MAX_BATCH)
  .describe('Messages as in `POST /emails`.');

/** A message of a batch that got a record. */
export const acceptedBatchEmail = z.object({
  status: z.literal(200).describe('Always 200.'),
  email: emailRecord.describe('The record of the message.'),
});

/** A message of a batch that got an error. */
export const refusedBatchEmail = z.object({
  status: z.int().min(400).max(599).describe('The status that `POST /emails` would have had.'),
  error: z.string().describe('What is wrong, and what to do.'),
  error_code: z.string().describe('As in the header `Error-Code`.'),
});

/** The outcome of one message of a batch: what `POST /emails` would have answered. */
export const emailBatchEntry = z.union([acceptedBatchEmail, refusedBatchEmail]);
export type EmailBatchEntry = z.output<typeof emailBatchEntry>;

export const emailBatchReply = z.array(emailBatchEntry).describe('The outcomes, in the order of the messages.');

export const EMAIL_BATCH_EXAMPLES = {
  body: [EMAIL_EXAMPLES.body, { ...EMAIL_EXAMPLES.body, to: ['grace@'] }],
  reply: [
    { status: 200, email: EMAIL_EXAMPLES.reply },
    { status: 400, error: 'to[0]: this is not an email address.', error_code: 'invalid_email' },
  ],
} as const;
