import { z } from 'zod';
import { quotaOverrides } from '../quotas.js';
import { requestsOf } from '../request.js';
import { id, noContent, page, pageOffset, pageRequest, resourceName, searchText, timestamp } from '../shapes.js';

const request = requestsOf('email-send');

export const quotaChange = z.object({ at: timestamp, from: z.int(), to: z.int(), reason: z.string() });

export const emailService = z.object({
  id,
  workspace_id: id,
  name: z.string(),
  mode: z.enum(['sandbox', 'production']),
  enabled: z.boolean(),
  open_tracking: z.boolean(),
  click_tracking: z.boolean(),
  suppression: z.boolean().describe('Whether emails to suppressed addresses are refused.'),
  daily_limit: z.int().describe('The current limit of messages per UTC day.'),
  per_minute_limit: z.int(),
  sent_today: z.int().nonnegative(),
  quota_history: z.array(quotaChange).describe('The latest changes of the daily quota, newest first.'),
  created_at: timestamp,
});
export type EmailService = z.output<typeof emailService>;

/** Every dashboard request names its workspace; resources of other workspaces are not found. */
export const ofService = z.object({ workspace_id: id, service_id: id });

export const createEmailService = request('create-email-service', {
  request: z.object({
    workspace_id: id,
    name: resourceName,
    workspace_quotas: quotaOverrides.optional(),
  }),
  reply: emailService,
  refusals: { invalid_input: 400, quota_reached: 409, workspace_not_found: 404 },
  http: {
    operation: 'EmailServices.create',
    method: 'POST',
    path: '/email-services',
    access: 'session',
    status: 201,
    summary: 'Create an email service; it starts in sandbox mode',
  },
});

export const listEmailServices = request('list-email-services', {
  request: z.object({ workspace_id: id }),
  reply: z.array(emailService),
  http: {
    operation: 'EmailServices.list',
    method: 'GET',
    path: '/email-services',
    access: 'session',
    summary: 'List the email services of the workspace',
  },
});

export const getEmailService = request('get-email-service', {
  request: ofService,
  reply: emailService,
  refusals: { service_not_found: 404 },
  http: {
    operation: 'EmailServices.get',
    method: 'GET',
    path: '/email-services/{service_id}',
    access: 'session',
    summary: 'Get an email service',
  },
});

export const emailServiceChanges = z.strictObject({
  name: resourceName.optional(),
  enabled: z.boolean().optional(),
  open_tracking: z.boolean().optional(),
  click_tracking: z.boolean().optional(),
  suppression: z.boolean().optional(),
});
export type EmailServiceChanges = z.input<typeof emailServiceChanges>;

export const updateEmailService = request('update-email-service', {
  request: ofService.extend({ changes: emailServiceChanges }),
  reply: emailService,
  refusals: { service_not_found: 404, invalid_input: 400 },
  http: {
    operation: 'EmailServices.update',
    method: 'PATCH',
    path: '/email-services/{service_id}',
    access: 'session',
    summary: 'Edit the name or settings of an email service',
    bodyField: 'changes',
  },
});

export const deleteEmailService = request('delete-email-service', {
  request: ofService,
  reply: z.object({ id, deleted: z.literal(true) }),
  refusals: { service_not_found: 404, messages_under_way: 409 },
  http: {
    operation: 'EmailServices.remove',
    method: 'DELETE',
    path: '/email-services/{service_id}',
    access: 'session',
    summary: 'Delete an email service with its keys, domains, webhooks and messages; this cannot be undone',
    description:
      'Refused while messages are being sent or retried. Afterwards API keys are refused and webhooks stop at once. Links in messages that were sent still lead to their targets. The data is deleted within minutes, and what arrives late within 24 hours.',
  },
});

/**
 * Counts the email services of a workspace. If there are none and the request names its deletion, creations in the
 * workspace are refused from then on, until platform-management reports that it was not deleted.
 */
export const closeWorkspace = request('close-workspace', {
  request: z.object({ workspace_id: id, closing_id: id.optional() }),
  reply: z.object({ email_services: z.int().nonnegative() }),
  callers: ['platform-management'],
  deadlineMs: 3_000,
});

const foundEmailService = emailService.extend({ domains: z.array(z.string()).describe('The sending domains.') });
export type FoundEmailService = z.output<typeof foundEmailService>;

/** For operators: email services of all workspaces, newest first. */
export const findEmailServices = request('find-email-services', {
  request: pageRequest.extend({
    search: searchText.describe('Part of the name or of a sending domain, or the id of the service or its workspace.'),
  }),
  reply: page(foundEmailService),
  http: {
    operation: 'Moderation.emailServices',
    method: 'GET',
    path: '/moderation/email-services',
    access: 'operator',
    narrowed: { offset: pageOffset },
    summary: 'Find email services of all workspaces, newest first (operators only)',
  },
});

const limit = z.int().min(1).max(10_000_000).optional();

/**
 * For operators, in any workspace. Absent limits return to the platform's defaults, unless the quota alone is set. The
 * quota is then adjusted from its new value.
 */
export const setServiceLimits = request('set-service-limits', {
  request: z.object({
    service_id: id,
    limits: z.strictObject({
      sandbox_daily: limit,
      sandbox_per_minute: limit,
      production_per_minute: limit,
      production_daily_ceiling: limit,
      production_daily: limit.describe('The daily quota of a service in production, from now on.'),
      reason: z.string().trim().min(1).max(200).optional().describe('Shown in the history of the quota.'),
    }),
  }),
  reply: emailService,
  refusals: { service_not_found: 404, invalid_input: 400 },
  http: {
    operation: 'EmailServices.setLimits',
    method: 'PATCH',
    path: '/email-services/{service_id}/limits',
    access: 'operator',
    summary: 'Set the limits or the daily quota of any email service (operators only)',
    description:
      'Absent limits return to their defaults, unless `production_daily` alone is set. The daily quota grows and shrinks from the value that is set.',
    bodyField: 'limits',
  },
});

export const apiKey = z.object({
  id,
  name: z.string(),
  key_prefix: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
});
export type ApiKey = z.output<typeof apiKey>;

/** The key is returned only in this reply. */
export const createApiKey = request('create-api-key', {
  request: ofService.extend({
    name: resourceName,
    workspace_quotas: quotaOverrides.optional(),
  }),
  reply: z.object({ id, name: z.string(), key: z.string(), key_prefix: z.string() }),
  refusals: { service_not_found: 404, invalid_input: 400, quota_reached: 409 },
  http: {
    operation: 'ApiKeys.create',
    method: 'POST',
    path: '/email-services/{service_id}/api-keys',
    access: 'session',
    status: 201,
    summary: 'Create an API key; the key is shown only in this reply',
  },
});

export const listApiKeys = request('list-api-keys', {
  request: ofService,
  reply: z.array(apiKey),
  refusals: { service_not_found: 404 },
  http: {
    operation: 'ApiKeys.list',
    method: 'GET',
    path: '/email-services/{service_id}/api-keys',
    access: 'session',
    summary: 'List API keys, without the keys themselves',
  },
});

export const revokeApiKey = request('revoke-api-key', {
  request: ofService.extend({ key_id: id }),
  reply: noContent,
  refusals: { service_not_found: 404, api_key_not_found: 404 },
  http: {
    operation: 'ApiKeys.revoke',
    method: 'DELETE',
    path: '/email-services/{service_id}/api-keys/{key_id}',
    access: 'session',
    summary: 'Revoke an API key immediately',
  },
});
