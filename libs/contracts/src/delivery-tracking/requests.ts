import { z } from 'zod';
import { emailMode } from '../email-send/emails.js';
import { recipientRole } from '../email-send/events.js';
import { requestsOf } from '../request.js';
import {
  EXAMINED_ITEMS,
  id,
  LONG_LIST_REFUSALS,
  longOffset,
  longPage,
  noContent,
  pageCursors,
  pageRequest,
  timestamp,
} from '../shapes.js';

const request = requestsOf('delivery-tracking', ['api-gateway']);

const seen = {
  email_id: id,
  recipient_index: z.int().min(0).max(49),
  user_agent: z.string(),
  /** The request says that no person made it. */
  prefetch: z.literal(true).optional(),
  ip: z.string(),
  at: timestamp,
};

/** Records that a pixel was fetched at `at`. The gateway has verified the signature of its link. */
export const recordOpen = request('record-open', {
  request: z.object(seen),
  reply: noContent,
  deadlineMs: 2_000,
  queued: true,
});

/** Records that a signed link was followed. */
export const recordClick = request('record-click', {
  request: z.object({ ...seen, url: z.string() }),
  reply: noContent,
  deadlineMs: 2_000,
  queued: true,
});

/** Records that a recipient used the signed link to unsubscribe, and suppresses the address for the email service. */
export const unsubscribeRecipient = request('unsubscribe-recipient', {
  request: z.object({ email_id: id, recipient_index: z.int().min(0).max(49), at: timestamp }),
  reply: noContent,
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
export type RecipientState = z.output<typeof recipientState>;

/**
 * The result of handing a message or one recipient's copy to the relay; each has exactly one. Optional in replies,
 * because delivery-tracking 0.1 does not return it.
 */
export const handOverResult = z.enum(['sent', 'failed', 'unknown', 'retry_requested']);
export type HandOverResult = z.output<typeof handOverResult>;

const resultText =
  'sent: accepted by the relay, according to its answer or a later report. failed: permanently refused. unknown: in ' +
  'progress, or interrupted without a later report. retry_requested: nothing was sent, and the client was asked to retry.';

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
  tags: z.record(z.string(), z.string()).optional().describe('Absent if the message has none.'),
  message_id: z.string().optional().describe('The Message-ID header, without angle brackets.'),
  accepted_at: timestamp,
});
export type TrackedEmail = z.output<typeof trackedEmail>;

export const timelineEntry = z.object({
  at: timestamp,
  kind: z
    .string()
    .describe(
      'accepted, handed_over, refused, deferred, delayed, delivered, bounced, bounce_reclassified, notice_not_understood, complained, unsubscribed, opened, clicked …',
    ),
  recipient: z.string().nullable(),
  detail: z.string(),
  rule: z.string().optional().describe('The rule that classed a bounce.'),
  rules_version: z.int().optional().describe('The version of the rule table.'),
  advice: z.string().optional().describe('What a bounce means and what to do.'),
});
export type TimelineEntry = z.output<typeof timelineEntry>;

const tagFilter = z
  .string()
  .max(300)
  .regex(/^[a-z][a-z0-9_]{0,39}:/, 'a tag is name:value')
  .optional()
  .describe('A tag of the message: `name:value`.');

/** The gateway checks that the caller's workspace owns the service before it sends these. */
export const listEmails = request('list-emails', {
  request: pageRequest.extend({
    ...pageCursors,
    service_id: id,
    search: z
      .string()
      .max(200)
      .optional()
      .describe(
        `Text in the subject, the sender or an address, in the newest ${EXAMINED_ITEMS} messages of the period. Of older ` +
          'messages, recipients whose address begins with the text are found.',
      ),
    state: recipientState.optional(),
    result: handOverResult.optional().describe('The result of the whole message.'),
    tag: tagFilter,
    message_id: z
      .string()
      .min(1)
      .max(998)
      .optional()
      .describe('The whole Message-ID header of the message, with or without angle brackets.'),
    from: timestamp.optional(),
    to: timestamp.optional(),
  }),
  reply: longPage(trackedEmail).extend({
    searched_since: timestamp
      .optional()
      .describe(
        'Present if `search` did not examine the whole period: beyond this time, messages were found by the beginning of an address alone.',
      ),
  }),
  refusals: LONG_LIST_REFUSALS,
  http: {
    operation: 'Messages.list',
    method: 'GET',
    path: '/email-services/{service_id}/emails',
    access: 'service-owner',
    summary: 'List messages with the state of every recipient, newest first',
    description:
      'A filter that would have to examine too many messages is refused with `query_too_broad`; narrow the period with `from` and `to`.',
    narrowed: { offset: longOffset },
  },
});

export const getTrackedEmail = request('get-tracked-email', {
  request: z.object({ service_id: id, email_id: id }),
  reply: trackedEmail.extend({ timeline: z.array(timelineEntry) }),
  refusals: { email_not_found: 404 },
  http: {
    operation: 'Messages.get',
    method: 'GET',
    path: '/email-services/{service_id}/emails/{email_id}',
    access: 'service-owner',
    summary: 'Get a message with its timeline',
  },
});
export type EmailWithTimeline = z.output<typeof getTrackedEmail.reply>;

export const emailCounts = z.object({
  accepted: z.int().describe('Always sent + failed + unknown.'),
  sent: z.int().describe('Accepted by the relay, according to its answer or a later report.'),
  failed: z.int().describe('Permanently refused, suppressed, or deferred for too long.'),
  unknown: z.int().optional().describe('In progress, or interrupted without a later report.'),
  retry_requested: z
    .int()
    .optional()
    .describe('Nothing was sent, and the client was asked to retry; not counted in accepted.'),
  delivered: z.int(),
  bounced_hard: z.int(),
  bounced_soft: z.int(),
  complained: z.int(),
  opened: z.int().describe('Recipients that opened at least once, without machine opens.'),
  clicked: z.int().describe('Recipients that clicked at least once, without machine clicks.'),
  machine_opens: z.int(),
  machine_clicks: z.int(),
});
export type EmailCounts = z.output<typeof emailCounts>;

export const getEmailStats = request('get-email-stats', {
  request: z.object({
    service_id: id,
    from: z.iso.date(),
    to: z.iso.date(),
    simulator: z
      .enum(['exclude', 'include'])
      .default('exclude')
      .describe('Whether messages to the simulator alone are counted as well.'),
    tag: tagFilter,
  }),
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
  http: {
    operation: 'Messages.stats',
    method: 'GET',
    path: '/email-services/{service_id}/stats',
    access: 'service-owner',
    summary: 'Get counts and rates by UTC day',
  },
});
export type EmailStats = z.output<typeof getEmailStats.reply>;
