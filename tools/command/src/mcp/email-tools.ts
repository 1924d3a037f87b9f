import { emailRecord, getTrackedEmail, listEmails } from '@postern/contracts';
import { z } from 'zod';
import { findMessage } from '../commands/emails.js';
import type { Context } from '../configuration/context.js';
import type { Message, Page } from '../dashboard-api.js';
import { emailServiceNamed, IN_FIELD } from '../email-services.js';
import { UsageError } from '../errors.js';
import { type RegisteredTool, tool } from './tool.js';

const addresses = z.array(z.string()).max(50);

/** Tools for sending, for a context with an email key. */
export const emailKeyTools = (context: Context): readonly RegisteredTool[] => [
  tool({
    name: 'send_email',
    description: 'Send an email. Give `text`, `html` or both. The result has the id and whether the relay accepted it.',
    effect: 'changes',
    input: z.object({
      from: z.string().describe('Sender, such as "Shop <orders@example.com>".'),
      to: addresses.min(1).describe('Recipients.'),
      cc: addresses.optional(),
      bcc: addresses.optional(),
      reply_to: addresses.optional(),
      subject: z.string(),
      text: z.string().optional().describe('Plain-text body.'),
      html: z.string().optional().describe('HTML body.'),
      idempotency_key: z.string().min(1).max(255).optional().describe('The same key sends once within 24 hours.'),
    }),
    output: emailRecord,
    run: ({ html, text, idempotency_key, cc, bcc, reply_to, ...rest }) => {
      const email = { ...rest, ...(cc && { cc }), ...(bcc && { bcc }), ...(reply_to && { reply_to }) };
      const options = idempotency_key === undefined ? {} : { idempotencyKey: idempotency_key };
      const { emails } = context.email();
      if (html !== undefined)
        return emails.send({ ...email, message: html, ...(text === undefined ? {} : { text }) }, options);
      if (text === undefined) throw new UsageError('The message has no body. Give `text`, `html` or both.');
      return emails.send({ ...email, text }, options);
    },
  }),
  tool({
    name: 'get_email',
    description: 'Get the record of a message that was sent with this key: status, mode, sender and recipients.',
    effect: 'reads',
    writtenBy: 'mail servers of other people',
    input: z.object({ id: z.uuid() }),
    output: emailRecord,
    run: ({ id }) => context.email().emails.get(id),
  }),
];

/** Tools for the status of messages, for a context with a session. */
export const sessionTools = (context: Context): readonly RegisteredTool[] => [
  tool({
    name: 'list_emails',
    description: 'List messages of an email service with the state of their recipients, newest first.',
    effect: 'reads',
    writtenBy: 'mail servers of other people',
    input: z.object({
      service: z.string().optional().describe('Id or name of the email service; required if there are several.'),
      search: z.string().max(200).optional().describe('Search in recipients and subject.'),
      state: z.string().optional().describe('State of a recipient, such as delivered, bounced or complained.'),
      limit: z.int().min(1).max(100).default(20),
      offset: z.int().min(0).max(10_000).default(0),
      after: z.uuid().optional().describe('Id of the last message of a page: returns the next page. Without `offset`.'),
    }),
    output: listEmails.reply,
    run: async ({ service, ...query }) => {
      const dashboard = context.dashboard();
      const { id } = await emailServiceNamed(dashboard, service, IN_FIELD);
      return dashboard.get<Page<Message>>(`/email-services/${id}/emails`, { query });
    },
  }),
  tool({
    name: 'show_email',
    description: 'Get a message with its timeline.',
    effect: 'reads',
    writtenBy: 'mail servers, recipients and webhook endpoints of other people',
    input: z.object({ id: z.uuid() }),
    output: getTrackedEmail.reply,
    run: ({ id }) => findMessage(context.dashboard(), id),
  }),
];
