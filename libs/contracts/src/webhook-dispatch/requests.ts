import { z } from 'zod';
import { quotaOverrides } from '../quotas.js';
import { requestsOf } from '../request.js';
import {
  id,
  LONG_LIST_REFUSALS,
  longOffset,
  longPage,
  noContent,
  page,
  pageCursors,
  pageOffset,
  pageRequest,
  timestamp,
} from '../shapes.js';
import { webhookHealth } from './webhook-health.js';

const request = requestsOf('webhook-dispatch');

export const outcomeKind = z.enum(['delivered', 'bounced', 'complained', 'opened', 'clicked']);
export type OutcomeKind = z.output<typeof outcomeKind>;

/** The JSON body that an endpoint receives. */
export const webhookPayload = z.object({
  event: outcomeKind,
  email_id: id,
  service_id: id,
  to: z.string(),
  from: z.string(),
  subject: z.string(),
  timestamp,
  data: z.record(z.string(), z.unknown()),
});

/** Requests per second that the owner of a webhook can permit at most. */
export const MAX_WEBHOOK_RATE = 1_000;

/** How an endpoint is called; a field that is absent stays as it is, and without a value at first. */
const pacing = {
  rate_limit: z
    .int()
    .min(1)
    .max(MAX_WEBHOOK_RATE)
    .nullable()
    .optional()
    .describe('Most requests that start within a second; null for no limit.'),
  ordered: z
    .boolean()
    .optional()
    .describe(
      'Sends one event after the other. An event that fails delays the later ones until it is accepted or given up.',
    ),
};

export const webhook = z.object({
  id,
  url: z.string(),
  events: z.array(outcomeKind),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable(),
  next_secret_ready: z.boolean().describe('Whether a new secret is ready to be activated.'),
  created_at: timestamp,
  ...pacing,
  health: webhookHealth,
});
export type Webhook = z.output<typeof webhook>;

const kinds = z.array(outcomeKind).min(1, 'must name at least one event kind');
/** The gateway checks that the caller's workspace owns the service before it sends these. */
const ofWebhook = z.object({ service_id: id, webhook_id: id });

export const createWebhook = request('create-webhook', {
  request: z.object({
    service_id: id,
    workspace_id: id,
    url: z.string().min(1).max(2048),
    events: kinds,
    ...pacing,
    workspace_quotas: quotaOverrides.optional(),
  }),
  reply: z.object({ id, url: z.string(), events: z.array(outcomeKind), secret: z.string() }),
  refusals: { invalid_url: 400, quota_reached: 409 },
  http: {
    operation: 'Webhooks.create',
    method: 'POST',
    path: '/email-services/{service_id}/webhooks',
    access: 'service-owner',
    status: 201,
    summary: 'Create a webhook; its signing secret is shown only in this reply',
  },
  deadlineMs: 10_000,
});
export type CreatedWebhook = z.output<typeof createWebhook.reply>;

export const listWebhooks = request('list-webhooks', {
  request: z.object({ service_id: id }),
  reply: z.array(webhook),
  http: {
    operation: 'Webhooks.list',
    method: 'GET',
    path: '/email-services/{service_id}/webhooks',
    access: 'service-owner',
    summary: 'List the webhooks of an email service',
  },
});

export const getWebhook = request('get-webhook', {
  request: ofWebhook,
  reply: webhook,
  refusals: { webhook_not_found: 404 },
  http: {
    operation: 'Webhooks.get',
    method: 'GET',
    path: '/email-services/{service_id}/webhooks/{webhook_id}',
    access: 'service-owner',
    summary: 'Get a webhook',
  },
});

export const webhookChanges = z.strictObject({
  url: z.string().min(1).max(2048).optional(),
  events: kinds.optional(),
  enabled: z.boolean().optional(),
  ...pacing,
});
export type WebhookChanges = z.input<typeof webhookChanges>;

export const updateWebhook = request('update-webhook', {
  request: ofWebhook.extend({ changes: webhookChanges }),
  reply: webhook,
  refusals: { webhook_not_found: 404, invalid_url: 400 },
  http: {
    operation: 'Webhooks.update',
    method: 'PATCH',
    path: '/email-services/{service_id}/webhooks/{webhook_id}',
    access: 'service-owner',
    summary: 'Edit the URL, event kinds, rate limit or order, or enable or disable the webhook',
    bodyField: 'changes',
  },
  deadlineMs: 10_000,
});

export const removeWebhook = request('remove-webhook', {
  request: ofWebhook,
  reply: noContent,
  refusals: { webhook_not_found: 404 },
  http: {
    operation: 'Webhooks.remove',
    method: 'DELETE',
    path: '/email-services/{service_id}/webhooks/{webhook_id}',
    access: 'service-owner',
    summary: 'Delete a webhook',
  },
});

/** Generates the next secret, returned only in this reply. The current one signs until `switch-webhook-secret`. */
export const rotateWebhookSecret = request('rotate-webhook-secret', {
  request: ofWebhook,
  reply: z.object({ secret: z.string() }),
  refusals: { webhook_not_found: 404 },
  http: {
    operation: 'Webhooks.rotateSecret',
    method: 'POST',
    path: '/email-services/{service_id}/webhooks/{webhook_id}/secret/rotate',
    access: 'service-owner',
    summary: 'Generate the next signing secret, shown only in this reply; the current one stays active',
  },
});
export type NewSecret = z.output<typeof rotateWebhookSecret.reply>;

export const switchWebhookSecret = request('switch-webhook-secret', {
  request: ofWebhook,
  reply: webhook,
  refusals: { webhook_not_found: 404, no_next_secret: 409 },
  http: {
    operation: 'Webhooks.switchSecret',
    method: 'POST',
    path: '/email-services/{service_id}/webhooks/{webhook_id}/secret/switch',
    access: 'service-owner',
    summary: 'Activate the next signing secret',
  },
});

export const attempt = z.object({
  number: z.int().positive(),
  at: timestamp,
  outcome: z.enum(['accepted', 'refused', 'retry']),
  status: z.int().nullable().describe('HTTP status; null if there was no response.'),
  latency_ms: z.int(),
  error: z.string().nullable(),
  response_head: z.string().nullable().describe('The beginning of the response, at most 16 KiB.'),
});
export type Attempt = z.output<typeof attempt>;

export const delivery = z.object({
  id,
  event_id: id.nullable(),
  payload: webhookPayload,
  state: z.enum(['pending', 'accepted', 'refused', 'dropped', 'held']),
  reason: z.string().nullable(),
  refusal: z
    .enum(['rejected', 'rate_limited', 'timed_out'])
    .nullable()
    .optional()
    .describe(
      'Why the endpoint refused the event: `rate_limited` is 429, `timed_out` is 408, and `rejected` is any other 4xx.',
    ),
  replay_of: id.nullable(),
  next_attempt_at: timestamp.nullable(),
  created_at: timestamp,
  attempts: z.array(attempt),
});
export type Delivery = z.output<typeof delivery>;

export const testWebhook = request('test-webhook', {
  request: ofWebhook.extend({ event: outcomeKind }),
  reply: delivery,
  refusals: { webhook_not_found: 404, webhook_disabled: 409, tests_in_progress: 409 },
  http: {
    operation: 'WebhookDeliveries.test',
    method: 'POST',
    path: '/email-services/{service_id}/webhooks/{webhook_id}/test',
    access: 'service-owner',
    summary: 'Send a test event now',
  },
  deadlineMs: 15_000,
});

export const listDeliveries = request('list-deliveries', {
  request: pageRequest.extend({ ...pageCursors, ...ofWebhook.shape, state: delivery.shape.state.optional() }),
  reply: longPage(delivery),
  refusals: { webhook_not_found: 404, ...LONG_LIST_REFUSALS },
  http: {
    operation: 'WebhookDeliveries.list',
    method: 'GET',
    path: '/email-services/{service_id}/webhooks/{webhook_id}/deliveries',
    access: 'service-owner',
    summary: 'List deliveries with their attempts, newest first',
    narrowed: { offset: longOffset },
  },
});

/**
 * The deliveries of the events of one message, over all webhooks of its service. webhook-dispatch returns an empty list for
 * an unknown message; the gateway refuses a message of another service.
 */
export const listEmailDeliveries = request('list-email-deliveries', {
  request: pageRequest.extend({ service_id: id, email_id: id }),
  reply: page(delivery.extend({ webhook_id: id })),
  refusals: { email_not_found: 404 },
  http: {
    operation: 'Messages.webhookDeliveries',
    method: 'GET',
    path: '/email-services/{service_id}/emails/{email_id}/webhook-deliveries',
    access: 'service-owner',
    summary: 'List the webhook deliveries of a message, newest first',
    narrowed: { offset: pageOffset },
  },
});

/** Creates a new delivery with the full retry schedule. */
export const replayDelivery = request('replay-delivery', {
  request: ofWebhook.extend({ delivery_id: id }),
  reply: delivery,
  refusals: { webhook_not_found: 404, delivery_not_found: 404 },
  http: {
    operation: 'WebhookDeliveries.replay',
    method: 'POST',
    path: '/email-services/{service_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
    access: 'service-owner',
    status: 201,
    summary: 'Send an event again, as a new delivery with the full retry schedule',
  },
});

export const replaySince = request('replay-since', {
  request: ofWebhook.extend({
    since: timestamp,
    state: z
      .enum(['refused', 'dropped', 'held'])
      .optional()
      .describe('Only events with this status; without it, all that the endpoint has not accepted.'),
  }),
  reply: z.object({ replayed: z.int().nonnegative() }),
  refusals: { webhook_not_found: 404 },
  http: {
    operation: 'WebhookDeliveries.replaySince',
    method: 'POST',
    path: '/email-services/{service_id}/webhooks/{webhook_id}/replay',
    access: 'service-owner',
    summary: 'Send all events since a given time again',
  },
});
export type Replayed = z.output<typeof replaySince.reply>;
