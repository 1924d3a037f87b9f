import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { resourceName } from './projects.js';
import { secretScope } from './variables.js';

const request = requestsOf('platform-management');

export const webServiceStatus = z.enum([
  'created',
  'starting',
  'running',
  'restarting',
  'stopping',
  'stopped',
  'failed',
]);

export type WebServiceStatus = z.output<typeof webServiceStatus>;

export const webService = z.object({
  id,
  project_id: id,
  name: z.string(),
  git_repository_url: z.string(),
  branch: z.string().nullable().describe('Null follows the default branch of the repository.'),
  build_command: z.string().nullable(),
  start_command: z.string().nullable(),
  health_check_path: z.string().nullable().describe('Null probes that the port accepts connections.'),
  port: z.int(),
  min_instances: z.int(),
  max_instances: z.int(),
  environment: secretScope.describe('Which project secrets the service gets.'),
  status: webServiceStatus,
  status_reason: z.string().nullable().describe('Why the last action failed; null when it did not.'),
  url: z.string().nullable().describe('Where the service answers, the same over all deployments.'),
  blocked: z.boolean(),
  suspended: z.boolean(),
  flag_reason: z.string().nullable().describe('Why the service is blocked or suspended.'),
  created_at: timestamp,
});

const command = z.string().trim().min(1, 'must not be empty').max(4096);
const instances = z.int().min(1).max(20);

/** Beyond these shapes the service refuses with `invalid_input`: repository URL, branch, and max below min. */
export const webServiceInput = z.strictObject({
  name: resourceName,
  project_id: id,
  git_repository_url: z.string().min(1).max(2048),
  port: z.int().min(1).max(65_535),
  branch: z.string().min(1).max(255).nullable().optional(),
  build_command: command.nullable().optional(),
  start_command: command.nullable().optional(),
  health_check_path: z
    .string()
    .max(1024)
    .regex(/^\/[!-~]*$/, 'must begin with / and hold no spaces')
    .nullable()
    .optional(),
  min_instances: instances.default(1),
  max_instances: instances.default(1),
  environment: secretScope.default('production'),
});

export const ofWebService = z.object({ user_id: id, web_service_id: id });

/** Oldest first. */
export const listWebServices = request('list-web-services', {
  request: z.object({ user_id: id }),
  reply: z.array(webService),
});

export const createWebService = request('create-web-service', {
  request: webServiceInput.extend({ user_id: id }),
  reply: webService,
  refusals: { project_not_found: 404, invalid_input: 400 },
});

export const getWebService = request('get-web-service', {
  request: ofWebService,
  reply: webService,
  refusals: { web_service_not_found: 404 },
});

const lifecycleReply = z.object({ id, status: webServiceStatus });

/** Runs the last successful deployment's artefact again with today's environment; `POST deploy` is the same. */
export const startWebService = request('start-web-service', {
  request: ofWebService,
  reply: lifecycleReply,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, nothing_to_start: 400 },
});

export const restartWebService = request('restart-web-service', {
  request: ofWebService,
  reply: lifecycleReply,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, never_ran: 400 },
});

/** Cancels what is being deployed, too. */
export const stopWebService = request('stop-web-service', {
  request: ofWebService,
  reply: lifecycleReply,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, never_ran: 400 },
});

/** For the operator, who may act on any service. Blocking and suspending stop what runs and cancel what is deployed. */
export const moderateWebService = request('moderate-web-service', {
  request: z.object({
    actor_id: id,
    web_service_id: id,
    action: z.enum(['block', 'unblock', 'suspend', 'resume']),
    reason: z.string().trim().min(1).max(1000).optional().describe('Needed to block and to suspend.'),
  }),
  reply: webService,
  refusals: { not_an_operator: 403, web_service_not_found: 404, invalid_input: 400 },
});

export const logLine = z.object({
  timestamp,
  instance: z.string(),
  stream: z.enum(['stdout', 'stderr', 'build', 'platform']),
  message: z.string(),
});

/** Oldest first. `since` is in whole seconds since 1970; lines at or after it. */
export const getLogs = request('get-logs', {
  request: ofWebService.extend({
    tail: z.int().min(1).max(10_000).default(100),
    since: z.int().min(0).max(4_102_444_800).optional(),
  }),
  reply: z.object({ lines: z.array(logLine) }),
  refusals: { web_service_not_found: 404, runtime_unavailable: 503 },
});

const usageOf = z.object({ millicores: z.number().nonnegative(), percent: z.number().nonnegative() });
const memoryOf = z.object({ bytes: z.int().nonnegative(), percent: z.number().nonnegative() });

/** Summed over the running instances; percent of the limit of all of them. */
export const usage = z.object({ cpu: usageOf, memory: memoryOf, instances: z.int().nonnegative() });

export const getMetrics = request('get-metrics', {
  request: ofWebService,
  reply: usage,
  refusals: { web_service_not_found: 404, nothing_to_report: 404 },
});

/** At most 300 points, oldest first, one every `step` seconds; where nothing ran there is no point. */
export const getMetricsHistory = request('get-metrics-history', {
  request: ofWebService.extend({ period: z.int().min(60).max(604_800).default(3600) }),
  reply: z.object({
    period: z.int(),
    step: z.int(),
    points: z.array(usage.extend({ timestamp })),
  }),
  refusals: { web_service_not_found: 404 },
});
