import { z } from 'zod';
import { emailMode } from '../email-send/emails.js';
import { recipientRole } from '../email-send/events.js';
import { requestsOf } from '../request.js';
import { id, noContent, page, pageRequest, timestamp } from '../shapes.js';

const request = requestsOf('delivery-tracking');

const seen = {
  email_id: id,
  recipient_index: z.int().min(0).max(49),
  user_agent: z.string(),
  ip: z.string(),
  at: timestamp,
};

/** A pixel was fetched. The gateway has checked the signature of the link; `at` is when it happened. */
export const recordOpen = request('record-open', { request: z.object(seen), reply: noContent, deadlineMs: 2_000 });

/** A signed link was followed. */
export const recordClick = request('record-click', {
  request: z.object({ ...seen, url: z.string() }),
  reply: noContent,
  deadlineMs: 2_000,
});

export const recipientState = z.enum([
  'pending',
  'handed_over',
  'deferred',
  'delivered',
  'bounced',
  'complained',
  'unknown',
  'not_sent',
]);

/**
 * What the hand-over to the relay came to; every message, and every recipient of one, has exactly one of these. Optional
 * in replies, for delivery-tracking 0.1 does not answer it.
 */
export const handOverResult = z.enum(['sent', 'failed', 'unknown', 'retry_requested']);

const resultText =
  'sent: the relay took it, as its answer or a later report shows. failed: refused for good. unknown: under way, or ' +
  'interrupted and nothing was heard since. retry_requested: nothing was sent, and the client was asked to try again.';

export const trackedEmail = z.object({
  id,
  status: z.enum(['accepted', 'sent', 'failed']),
  result: handOverResult.optional().describe(resultText),
  mode: emailMode,
  from: z.string(),
  subject: z.string(),
  recipients: z.array(
    z.object({
      index: z.int(),
      address: z.string(),
      role: recipientRole,
      state: recipientState,
      result: handOverResult.optional(),
      reason: z.string().nullable(),
      opened_at: timestamp.nullable(),
      clicked_at: timestamp.nullable(),
    }),
  ),
  accepted_at: timestamp,
});

export const timelineEntry = z.object({
  at: timestamp,
  kind: z
    .string()
    .describe('accepted, handed_over, refused, deferred, delayed, delivered, bounced, complained, opened, clicked …'),
  recipient: z.string().nullable(),
  detail: z.string(),
});

/** The caller has been checked against the service's workspace before these are asked. */
export const listEmails = request('list-emails', {
  request: pageRequest.extend({
    service_id: id,
    search: z.string().max(200).optional().describe('Part of an address or of the subject.'),
    state: recipientState.optional(),
    result: handOverResult.optional().describe('Of the message as a whole.'),
    from: timestamp.optional(),
    to: timestamp.optional(),
  }),
  reply: page(trackedEmail),
});

export const getTrackedEmail = request('get-tracked-email', {
  request: z.object({ service_id: id, email_id: id }),
  reply: trackedEmail.extend({ timeline: z.array(timelineEntry) }),
  refusals: { email_not_found: 404 },
});

export const emailCounts = z.object({
  accepted: z.int().describe('Always sent + failed + unknown.'),
  sent: z.int().describe('The relay took the copy, as its answer or a later report shows.'),
  failed: z.int().describe('Refused for good, suppressed, or deferred for too long.'),
  unknown: z.int().optional().describe('Under way, or interrupted and nothing was heard since.'),
  retry_requested: z
    .int()
    .optional()
    .describe('Nothing was sent and the client was asked to try again; not in accepted.'),
  delivered: z.int(),
  bounced_hard: z.int(),
  bounced_soft: z.int(),
  complained: z.int(),
  opened: z.int().describe('Recipients that opened at least once, machines left out.'),
  clicked: z.int().describe('Recipients that clicked at least once, machines left out.'),
  machine_opens: z.int(),
  machine_clicks: z.int(),
});

export const getEmailStats = request('get-email-stats', {
  request: z.object({ service_id: id, from: z.iso.date(), to: z.iso.date() }),
  reply: z.object({
    total: emailCounts,
    rates: z.object({
      delivered: z.number().nullable(),
      bounced: z.number().nullable(),
      complained: z.number().nullable(),
      opened: z.number().nullable(),
      clicked: z.number().nullable(),
    }),
    days: z.array(emailCounts.extend({ date: z.iso.date() })),
  }),
  refusals: { invalid_input: 400 },
});

export const suppression = z.object({
  address: z.string(),
  reason: z.enum(['hard_bounce', 'complaint']),
  email_id: id,
  at: timestamp,
});

export const listSuppressions = request('list-suppressions', {
  request: pageRequest.extend({ service_id: id }),
  reply: page(suppression),
});

export const liftSuppression = request('lift-suppression', {
  request: z.object({ service_id: id, address: z.string() }),
  reply: noContent,
  refusals: { suppression_not_found: 404 },
});
