import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';

const request = requestsOf('webhook-dispatch');

/** A listener that is not read for this long is deleted with its events. */
export const LISTENER_EXPIRY_S = 300;
/** Listeners that an email service may have at the same time. */
export const MAX_LISTENERS = 10;
/**
 * Events that a listener keeps until they are read; further events are dropped, which gaps in the sequence numbers show.
 */
export const MAX_LISTENER_EVENTS = 1_000;
export const MAX_LISTENER_WAIT_S = 10;

/** Shown in the documentation of the email API. */
export const WEBHOOK_LISTENER_EXAMPLES = {
  created: { id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e02', expires_at: '2026-01-31T09:05:00.000Z' },
  events: {
    events: [
      {
        number: 1,
        body: '{"event":"delivered","email_id":"0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00","to":"ada@example.net","timestamp":"2026-01-31T09:00:02.000Z"}',
      },
    ],
  },
} as const;

/** The gateway checks that the caller's workspace owns the service before it sends these. */
const ofListener = z.object({ service_id: id, listener_id: id });

/** Starts to keep the events of an email service for a client without a reachable webhook endpoint. */
export const createWebhookListener = request('create-webhook-listener', {
  request: z.object({ service_id: id }),
  reply: z.object({
    id: id.describe('Id of the listener.'),
    expires_at: timestamp.describe('When it is deleted unless it is read until then.'),
  }),
  refusals: { too_many_listeners: 409 },
  http: {
    operation: 'WebhookListeners.create',
    method: 'POST',
    path: '/email-services/{service_id}/webhook-listeners',
    access: 'service-owner',
    status: 201,
    summary: 'Create a listener, which keeps the events of an email service until they are read',
    description: 'For clients that no webhook can reach. A listener expires five minutes after its last read.',
    bodyOptional: true,
  },
});

export const listWebhookListeners = request('list-webhook-listeners', {
  request: z.object({ service_id: id }),
  reply: z.array(z.object({ id, expires_at: timestamp })),
  http: {
    operation: 'WebhookListeners.list',
    method: 'GET',
    path: '/email-services/{service_id}/webhook-listeners',
    access: 'service-owner',
    summary: 'List the listeners of an email service',
  },
});

export const readWebhookListener = request('read-webhook-listener', {
  request: ofListener.extend({
    after: z
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe('The number of the last event that the client has; it and earlier ones are deleted.'),
    wait_s: z
      .int()
      .min(0)
      .max(MAX_LISTENER_WAIT_S)
      .default(0)
      .describe('Seconds to wait for an event if there is none; the reply may come earlier without one.'),
  }),
  reply: z.object({
    events: z
      .array(
        z.object({
          number: z.int().positive().describe('Consecutive; a gap shows how many events were left out.'),
          body: z.string().describe('The body that a webhook would receive, byte for byte.'),
        }),
      )
      .describe('Oldest first; none if there was no event in the time.'),
  }),
  refusals: { listener_not_found: 404 },
  http: {
    operation: 'WebhookListeners.read',
    method: 'GET',
    path: '/email-services/{service_id}/webhook-listeners/{listener_id}/events',
    access: 'service-owner',
    summary: 'Read the next events of a listener, at most 100',
  },
  deadlineMs: (MAX_LISTENER_WAIT_S + 5) * 1_000,
});

export const removeWebhookListener = request('remove-webhook-listener', {
  request: ofListener,
  reply: noContent,
  refusals: { listener_not_found: 404 },
  http: {
    operation: 'WebhookListeners.remove',
    method: 'DELETE',
    path: '/email-services/{service_id}/webhook-listeners/{listener_id}',
    access: 'service-owner',
    summary: 'Delete a listener with its events',
  },
});
