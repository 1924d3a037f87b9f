import { z } from 'zod';
import { REPEAT_REFUSALS, requestsOf } from '../request.js';
import { id, page, pageOffset, timestamp } from '../shapes.js';
import { ofService } from './email-services.js';
import { apiKeyHash, EMAIL_EXAMPLES } from './emails.js';
import { sendEmailBody, sendEmailDocumentation } from './send-email-body.js';

const request = requestsOf('email-send');

/** Requests of a client with an API key, which the gateway sends for its own routes. */
const keyRequest = requestsOf('email-send', ['api-gateway']);

const SCHEDULED_EMAILS = '/email-services/{service_id}/scheduled-emails';

export const MAX_SCHEDULED_EMAILS = 10_000;

export const scheduledEmailState = z.enum(['scheduled', 'sent', 'cancelled', 'failed']);

/** A message that is sent at a later time. */
export const scheduledEmail = z.object({
  id: id.describe('Id of the scheduled message. The message itself has another id when it is sent.'),
  send_at: timestamp.describe('When the message is sent.'),
  state: scheduledEmailState.describe(
    '`scheduled`: it waits, or is being sent. `sent`: the relay accepted it for at least one recipient. `failed`: it was ' +
      'not sent; `error` says why. `cancelled`: it will not be sent.',
  ),
  email_id: id.optional().describe('Id of the message for `GET /emails/{id}` and in events; absent before it is sent.'),
  error: z.string().optional().describe('Why it was not sent.'),
});
export type ScheduledEmail = z.output<typeof scheduledEmail>;

const sendAt = z.iso
  .datetime({ offset: true })
  .describe('When to send it, between 1 minute and 30 days from now: `2030-01-31T09:00:00Z`, or with an offset.');

/** The body of POST /scheduled-emails. email-send checks the time and the message. */
export const scheduleEmailBody = z.strictObject({
  send_at: sendAt,
  email: sendEmailBody.describe('The message, as in `POST /emails`.'),
});

/** The body of POST /scheduled-emails in the documentation. */
export const scheduleEmailDocumentation = z.object({
  send_at: sendAt,
  email: sendEmailDocumentation.describe('The message, as in `POST /emails`.'),
});

export const rescheduleEmailBody = z.strictObject({ send_at: sendAt });

const listFilter = z.object({
  state: scheduledEmailState.optional().describe('Only those in this state.'),
  limit: z.int().min(1).max(100).default(20).describe('Maximum number on a page.'),
  offset: pageOffset.describe('Number to skip.'),
});

/** The query of GET /scheduled-emails. */
export const listScheduledEmailsQuery = listFilter;

const KEY_REFUSALS = { api_key_invalid: 401, service_disabled: 403 } as const;
const NOT_FOUND = { scheduled_email_not_found: 404 } as const;
const NOT_WAITING = { ...NOT_FOUND, scheduled_email_not_waiting: 409 } as const;

export const scheduleEmail = keyRequest('schedule-email', {
  request: scheduleEmailBody.extend({
    api_key_hash: apiKeyHash,
    scheduled_email_id: id.describe('Chosen before the first attempt, so that the request can be repeated.'),
  }),
  reply: scheduledEmail,
  refusals: {
    ...KEY_REFUSALS,
    invalid_email: 400,
    recipient_not_verified: 400,
    quota_reached: 409,
    ...REPEAT_REFUSALS,
  },
});

export const listScheduledEmails = keyRequest('list-scheduled-emails', {
  request: listFilter.extend({ api_key_hash: apiKeyHash }),
  reply: page(scheduledEmail),
  refusals: KEY_REFUSALS,
});

export const getScheduledEmail = keyRequest('get-scheduled-email', {
  request: z.object({ api_key_hash: apiKeyHash, scheduled_email_id: id }),
  reply: scheduledEmail,
  refusals: { ...KEY_REFUSALS, ...NOT_FOUND },
});

export const rescheduleEmail = keyRequest('reschedule-email', {
  request: rescheduleEmailBody.extend({ api_key_hash: apiKeyHash, scheduled_email_id: id }),
  reply: scheduledEmail,
  refusals: { ...KEY_REFUSALS, ...NOT_WAITING, invalid_email: 400, ...REPEAT_REFUSALS },
});

export const cancelScheduledEmail = keyRequest('cancel-scheduled-email', {
  request: z.object({ api_key_hash: apiKeyHash, scheduled_email_id: id }),
  reply: scheduledEmail,
  refusals: { ...KEY_REFUSALS, ...NOT_WAITING, ...REPEAT_REFUSALS },
});

/** A scheduled message on the dashboard. */
export const scheduledEmailOfService = scheduledEmail.extend({
  from: z.string().nullable().describe('The sender; null after an erasure.'),
  to: z.array(z.string()).describe('The recipients in `to`; empty after an erasure.'),
  subject: z.string().nullable().describe('Null after an erasure.'),
  created_at: timestamp,
});
export type ScheduledEmailOfService = z.output<typeof scheduledEmailOfService>;

export const listScheduledEmailsOfService = request('list-scheduled-emails-of-service', {
  request: ofService.extend(listFilter.shape),
  reply: page(scheduledEmailOfService),
  refusals: { service_not_found: 404 },
  http: {
    operation: 'ScheduledEmails.list',
    method: 'GET',
    path: SCHEDULED_EMAILS,
    access: 'session',
    summary: 'List scheduled messages, the latest times first',
  },
});

const oneOfService = ofService.extend({ scheduled_email_id: id });

export const getScheduledEmailOfService = request('get-scheduled-email-of-service', {
  request: oneOfService,
  reply: scheduledEmailOfService,
  refusals: { service_not_found: 404, ...NOT_FOUND },
  http: {
    operation: 'ScheduledEmails.get',
    method: 'GET',
    path: `${SCHEDULED_EMAILS}/{scheduled_email_id}`,
    access: 'session',
    summary: 'Get a scheduled message',
  },
});

export const rescheduleEmailOfService = request('reschedule-email-of-service', {
  request: oneOfService.extend({ send_at: sendAt }),
  reply: scheduledEmailOfService,
  refusals: { service_not_found: 404, ...NOT_WAITING, invalid_email: 400 },
  http: {
    operation: 'ScheduledEmails.reschedule',
    method: 'PATCH',
    path: `${SCHEDULED_EMAILS}/{scheduled_email_id}`,
    access: 'session',
    summary: 'Change the time of a scheduled message',
  },
});

export const cancelScheduledEmailOfService = request('cancel-scheduled-email-of-service', {
  request: oneOfService,
  reply: scheduledEmailOfService,
  refusals: { service_not_found: 404, ...NOT_WAITING },
  http: {
    operation: 'ScheduledEmails.cancel',
    method: 'DELETE',
    path: `${SCHEDULED_EMAILS}/{scheduled_email_id}`,
    access: 'session',
    summary: 'Cancel a scheduled message',
  },
});

const SCHEDULED_EXAMPLE = {
  id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e01',
  send_at: '2030-01-31T09:00:00.000Z',
  state: 'scheduled',
} as const;

/** Examples for the API documentation; a test checks them against the shapes. */
export const SCHEDULED_EMAIL_EXAMPLES = {
  body: { send_at: '2030-01-31T09:00:00Z', email: EMAIL_EXAMPLES.body },
  reply: SCHEDULED_EXAMPLE,
  list: { items: [SCHEDULED_EXAMPLE], total: 1, limit: 20, offset: 0 },
  changes: { send_at: '2030-01-31T09:00:00Z' },
  cancelled: { ...SCHEDULED_EXAMPLE, state: 'cancelled' },
} as const;
