import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, page, pageRequest, timestamp } from '../shapes.js';

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

export const webhook = z.object({
  id,
  url: z.string(),
  events: z.array(outcomeKind),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable(),
  next_secret_ready: z.boolean().describe('A rotated secret waits to be switched to.'),
  created_at: timestamp,
});

const kinds = z.array(outcomeKind).min(1, 'must name at least one event kind');
/** The caller has been checked against the service's workspace before these are asked. */
const ofWebhook = z.object({ service_id: id, webhook_id: id });

export const createWebhook = request('create-webhook', {
  request: z.object({ service_id: id, url: z.string().min(1).max(2048), events: kinds }),
  reply: z.object({ id, url: z.string(), events: z.array(outcomeKind), secret: z.string() }),
  refusals: { invalid_url: 400, too_many_webhooks: 409 },
  deadlineMs: 10_000,
});

export const listWebhooks = request('list-webhooks', {
  request: z.object({ service_id: id }),
  reply: z.array(webhook),
});

export const getWebhook = request('get-webhook', {
  request: ofWebhook,
  reply: webhook,
  refusals: { webhook_not_found: 404 },
});

export const webhookChanges = z.strictObject({
  url: z.string().min(1).max(2048).optional(),
  events: kinds.optional(),
  enabled: z.boolean().optional(),
});

export const updateWebhook = request('update-webhook', {
  request: ofWebhook.extend({ changes: webhookChanges }),
  reply: webhook,
  refusals: { webhook_not_found: 404, invalid_url: 400 },
  deadlineMs: 10_000,
});

export const removeWebhook = request('remove-webhook', {
  request: ofWebhook,
  reply: noContent,
  refusals: { webhook_not_found: 404 },
});

/** Makes the next secret, shown once; the present one signs until `switch-webhook-secret`. */
export const rotateWebhookSecret = request('rotate-webhook-secret', {
  request: ofWebhook,
  reply: z.object({ secret: z.string() }),
  refusals: { webhook_not_found: 404 },
});

export const switchWebhookSecret = request('switch-webhook-secret', {
  request: ofWebhook,
  reply: webhook,
  refusals: { webhook_not_found: 404, no_next_secret: 409 },
});

export const attempt = z.object({
  number: z.int().positive(),
  at: timestamp,
  outcome: z.enum(['accepted', 'refused', 'retry']),
  status: z.int().nullable().describe('HTTP status; null where none came.'),
  latency_ms: z.int(),
  error: z.string().nullable(),
  response_head: z.string().nullable().describe('The beginning of the answer, 16 KiB at most.'),
});

export const delivery = z.object({
  id,
  event_id: id.nullable(),
  payload: webhookPayload,
  state: z.enum(['pending', 'accepted', 'refused', 'dropped', 'held']),
  reason: z.string().nullable(),
  replay_of: id.nullable(),
  next_attempt_at: timestamp.nullable(),
  created_at: timestamp,
  attempts: z.array(attempt),
});

export const testWebhook = request('test-webhook', {
  request: ofWebhook.extend({ event: outcomeKind }),
  reply: delivery,
  refusals: { webhook_not_found: 404, webhook_disabled: 409 },
  deadlineMs: 15_000,
});

export const listDeliveries = request('list-deliveries', {
  request: pageRequest.extend({ ...ofWebhook.shape, state: delivery.shape.state.optional() }),
  reply: page(delivery),
  refusals: { webhook_not_found: 404 },
});

/** A replay is a new delivery with the full schedule. */
export const replayDelivery = request('replay-delivery', {
  request: ofWebhook.extend({ delivery_id: id }),
  reply: delivery,
  refusals: { webhook_not_found: 404, delivery_not_found: 404 },
});

export const replaySince = request('replay-since', {
  request: ofWebhook.extend({ since: timestamp }),
  reply: z.object({ replayed: z.int().nonnegative() }),
  refusals: { webhook_not_found: 404 },
});
