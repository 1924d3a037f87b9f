import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';

const request = requestsOf('email-send');

export const emailServiceName = z.string().trim().min(1).max(100);

export const quotaChange = z.object({ at: timestamp, from: z.int(), to: z.int(), reason: z.string() });

export const emailService = z.object({
  id,
  workspace_id: id,
  name: z.string(),
  mode: z.enum(['sandbox', 'production']),
  enabled: z.boolean(),
  open_tracking: z.boolean(),
  click_tracking: z.boolean(),
  suppression: z.boolean().describe('Whether a send to a suppressed address is stopped.'),
  daily_limit: z.int().describe('Messages per UTC day as it stands now.'),
  per_minute_limit: z.int(),
  sent_today: z.int().nonnegative(),
  quota_history: z.array(quotaChange).describe('The last changes of the daily quota, newest first.'),
  created_at: timestamp,
});

/** Every dashboard request names the workspace it acts in; what belongs to another one does not exist. */
export const ofService = z.object({ workspace_id: id, service_id: id });

export const createEmailService = request('create-email-service', {
  request: z.object({
    workspace_id: id,
    name: emailServiceName,
    owner_email: z.string().max(320).optional().describe('Told when a verified domain loses its records.'),
  }),
  reply: emailService,
  refusals: { invalid_input: 400 },
});

export const listEmailServices = request('list-email-services', {
  request: z.object({ workspace_id: id }),
  reply: z.array(emailService),
});

export const getEmailService = request('get-email-service', {
  request: ofService,
  reply: emailService,
  refusals: { service_not_found: 404 },
});

export const emailServiceChanges = z.strictObject({
  name: emailServiceName.optional(),
  enabled: z.boolean().optional(),
  open_tracking: z.boolean().optional(),
  click_tracking: z.boolean().optional(),
  suppression: z.boolean().optional(),
});

export const updateEmailService = request('update-email-service', {
  request: ofService.extend({ changes: emailServiceChanges }),
  reply: emailService,
  refusals: { service_not_found: 404, invalid_input: 400 },
});

const limit = z.int().min(1).max(10_000_000).optional();

/** For the operator, who may act in any workspace: what is absent follows the platform's defaults again. */
export const setServiceLimits = request('set-service-limits', {
  request: z.object({
    service_id: id,
    limits: z.strictObject({
      sandbox_daily: limit,
      sandbox_per_minute: limit,
      production_per_minute: limit,
      production_daily_ceiling: limit,
    }),
  }),
  reply: emailService,
  refusals: { service_not_found: 404, invalid_input: 400 },
});

export const apiKey = z.object({
  id,
  name: z.string(),
  key_prefix: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
});

/** The reply is the only place where the key itself appears. */
export const createApiKey = request('create-api-key', {
  request: ofService.extend({ name: z.string().trim().min(1).max(100) }),
  reply: z.object({ id, name: z.string(), key: z.string(), key_prefix: z.string() }),
  refusals: { service_not_found: 404, invalid_input: 400 },
});

export const listApiKeys = request('list-api-keys', {
  request: ofService,
  reply: z.array(apiKey),
  refusals: { service_not_found: 404 },
});

export const revokeApiKey = request('revoke-api-key', {
  request: ofService.extend({ key_id: id }),
  reply: noContent,
  refusals: { service_not_found: 404, api_key_not_found: 404 },
});
