import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';
import { deletion } from './variables.js';

const request = requestsOf('platform-management');

/** Notification targets of one workspace. */
export const NOTIFICATION_TARGETS_PER_WORKSPACE = 10;

/** What targets are told. */
export const notificationEvent = z.enum([
  'deployment_live',
  'deployment_failed',
  'web_service_failed',
  'database_nearly_full',
  'webhook_failing',
  'webhook_disabled',
  'webhook_recovered',
  'log_drain_failing',
  'log_drain_disabled',
  'test',
]);
export type NotificationEvent = z.output<typeof notificationEvent>;

/** The JSON body of a notification for a target of the kind `webhook`. */
export const notification = z.object({
  id: z.string().max(300).describe('The same if the notification is sent again.'),
  event: notificationEvent,
  timestamp: timestamp.describe('When it happened.'),
  workspace_id: id,
  resource: z.object({
    type: z.enum(['web_service', 'database', 'webhook', 'log_drain', 'workspace']),
    id,
    name: z.string(),
  }),
  summary: z.string().max(1_000).describe('What happened, in a few words.'),
  text: z.string().max(4_000).describe('What happened, in sentences.'),
  url: z.string().max(2_048).nullable().describe('The page of the dashboard about it; null for a test.'),
});
export type Notification = z.output<typeof notification>;

export const notificationTarget = z.object({
  id,
  kind: z
    .enum(['webhook', 'slack'])
    .describe('`webhook`: signed JSON. `slack`: `{"text": …}`, as Slack and others take it.'),
  url: z.string().describe('Where notifications are sent; for `slack` only the host, because the rest is a secret.'),
  failing_since: timestamp.nullable().describe('The first of the attempts that all failed; null after a success.'),
  last_error: z.string().nullable().describe('Why the last attempt failed; null after a success.'),
  last_delivered_at: timestamp.nullable().describe('When a notification was last accepted.'),
  created_at: timestamp,
});
export type NotificationTarget = z.output<typeof notificationTarget>;

const path = '/notification-targets';
const ofTarget = z.object({ workspace_id: id, target_id: id });

export const createNotificationTarget = request('create-notification-target', {
  request: z.strictObject({
    workspace_id: id,
    kind: notificationTarget.shape.kind,
    url: z.string().min(1).max(2048).describe('An https URL; for `slack` the URL of an incoming webhook.'),
  }),
  reply: notificationTarget.extend({
    secret: z.string().nullable().describe('The signing secret of a `webhook`, shown only in this reply.'),
  }),
  refusals: { invalid_url: 400, too_many_notification_targets: 409, workspace_not_found: 404 },
  http: {
    operation: 'NotificationTargets.create',
    method: 'POST',
    path,
    access: 'session',
    role: 'owner',
    status: 201,
    summary: 'Create a notification target, which is told about deployments and failures of the workspace',
    description:
      'A `webhook` gets signed JSON, with the headers of the webhooks of email services. A workspace can have 10 targets.',
    examples: {
      body: { kind: 'slack', url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
      reply: {
        id: '01977f4e-5d3a-7c2b-9f10-2f6b1c8d4e5f',
        kind: 'slack',
        url: 'https://hooks.slack.com/…',
        failing_since: null,
        last_error: null,
        last_delivered_at: null,
        created_at: '2026-06-17T09:30:00.000Z',
        secret: null,
      },
    },
  },
  deadlineMs: 10_000,
});

export const listNotificationTargets = request('list-notification-targets', {
  request: z.object({ workspace_id: id }),
  reply: z.array(notificationTarget),
  http: {
    operation: 'NotificationTargets.list',
    method: 'GET',
    path,
    access: 'session',
    role: 'owner',
    summary: 'List the notification targets of this workspace, oldest first',
  },
});

export const removeNotificationTarget = request('remove-notification-target', {
  request: ofTarget,
  reply: deletion,
  refusals: { notification_target_not_found: 404 },
  http: {
    operation: 'NotificationTargets.remove',
    method: 'DELETE',
    path: `${path}/{target_id}`,
    access: 'session',
    role: 'owner',
    summary: 'Delete a notification target; notifications that wait for it are not sent',
  },
});

export const testNotificationTarget = request('test-notification-target', {
  request: ofTarget,
  reply: z.object({
    accepted: z.boolean().describe('Whether the target accepted the notification.'),
    error: z.string().nullable().describe('Why it did not; null if it did.'),
    duration_ms: z.int().nonnegative(),
  }),
  refusals: { notification_target_not_found: 404, tests_in_progress: 409 },
  http: {
    operation: 'NotificationTargets.test',
    method: 'POST',
    path: `${path}/{target_id}/test`,
    access: 'session',
    role: 'owner',
    summary: 'Send a test notification now, and return how the target answered',
  },
  deadlineMs: 15_000,
});

/** Queues a notification for all targets of its workspace, once for each id. May be repeated. */
export const notifyWorkspace = requestsOf('platform-management', ['email-send'])('notify-workspace', {
  request: notification,
  reply: noContent,
});
