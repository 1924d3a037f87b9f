import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { HISTORY, LOGS, METRICS, NEW_WEB_SERVICE, statusNow, WEB_SERVICE } from './examples.js';
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
  branch: z.string().nullable().describe('Null for the default branch of the repository.'),
  build_command: z.string().nullable(),
  start_command: z.string().nullable(),
  health_check_path: z.string().nullable().describe('Null to check only that the port accepts connections.'),
  port: z.int(),
  min_instances: z.int(),
  max_instances: z.int(),
  environment: secretScope.describe('Which project secrets the service gets.'),
  status: webServiceStatus,
  status_reason: z.string().nullable().describe('Why the last action failed; null if it succeeded.'),
  url: z.string().nullable().describe('The public URL; it does not change between deployments.'),
  blocked: z.boolean(),
  suspended: z.boolean(),
  flag_reason: z.string().nullable().describe('Why the service is blocked or suspended.'),
  created_at: timestamp,
});
export type WebService = z.output<typeof webService>;

const command = z.string().trim().min(1, 'must not be empty').max(4096);
const instances = z.int().min(1).max(20);

/** The service also refuses an invalid repository URL or branch, and max below min, with `invalid_input`. */
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
    .regex(/^\/[!-~]*$/, 'must start with / and contain no spaces')
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
  http: {
    operation: 'WebServices.list',
    method: 'GET',
    path: '/web-services',
    access: ['platform-key', 'session'],
    summary: 'List the web services of the user, oldest first',
    examples: { reply: [WEB_SERVICE] },
  },
});

export const createWebService = request('create-web-service', {
  request: webServiceInput.extend({ user_id: id }),
  reply: webService,
  refusals: { project_not_found: 404, invalid_input: 400, quota_reached: 409 },
  http: {
    operation: 'WebServices.create',
    method: 'POST',
    path: '/web-services',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create a web service; its first deployment starts it',
    examples: { body: NEW_WEB_SERVICE, reply: WEB_SERVICE },
  },
});

export const getWebService = request('get-web-service', {
  request: ofWebService,
  reply: webService,
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'WebServices.get',
    method: 'GET',
    path: '/web-services/{web_service_id}',
    access: ['platform-key', 'session'],
    summary: 'Get a web service',
    examples: { reply: WEB_SERVICE },
  },
});

const lifecycleReply = z.object({ id, status: webServiceStatus });

/** Starts the artefact of the last successful deployment with the current environment. */
export const startWebService = request('start-web-service', {
  request: ofWebService,
  reply: lifecycleReply,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, nothing_to_start: 400 },
  http: [
    {
      operation: 'WebServices.deploy',
      method: 'POST',
      path: '/web-services/{web_service_id}/deploy',
      access: ['platform-key', 'session'],
      status: 202,
      summary: 'Start the web service (same as start)',
      description: 'Builds nothing. To release a new commit, create a deployment.',
      examples: { reply: statusNow('starting') },
    },
    {
      operation: 'WebServices.start',
      method: 'POST',
      path: '/web-services/{web_service_id}/start',
      access: ['platform-key', 'session'],
      status: 202,
      summary: 'Start the last successful deployment with the current environment',
      examples: { reply: statusNow('starting') },
    },
  ],
});

export const restartWebService = request('restart-web-service', {
  request: ofWebService,
  reply: lifecycleReply,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, never_ran: 400 },
  http: {
    operation: 'WebServices.restart',
    method: 'POST',
    path: '/web-services/{web_service_id}/restart',
    access: ['platform-key', 'session'],
    status: 202,
    summary: 'Replace the running instances one by one, with the current environment',
    examples: { reply: statusNow('restarting') },
  },
});

/** Also cancels a running deployment. */
export const stopWebService = request('stop-web-service', {
  request: ofWebService,
  reply: lifecycleReply,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, never_ran: 400 },
  http: {
    operation: 'WebServices.stop',
    method: 'POST',
    path: '/web-services/{web_service_id}/stop',
    access: ['platform-key', 'session'],
    status: 202,
    summary: 'Stop all instances; environment and disks are kept',
    examples: { reply: statusNow('stopping') },
  },
});

const reason = z.string().trim().min(1).max(1000);

/** For operators, on any web service. Blocking and suspending stop it and cancel its deployment. */
export const moderateWebService = request('moderate-web-service', {
  request: z.object({
    actor_id: id,
    web_service_id: id,
    action: z.enum(['block', 'unblock', 'suspend', 'resume']),
    reason: reason.optional().describe('Required to block and to suspend.'),
  }),
  reply: webService,
  refusals: { not_an_operator: 403, web_service_not_found: 404, invalid_input: 400 },
  http: [
    {
      operation: 'Moderation.block',
      method: 'POST',
      path: '/web-services/{web_service_id}/block',
      access: 'operator',
      summary: 'Block a web service for its content; it is stopped (operators only)',
      fixed: { action: 'block' },
      narrowed: { reason },
    },
    {
      operation: 'Moderation.unblock',
      method: 'POST',
      path: '/web-services/{web_service_id}/unblock',
      access: 'operator',
      summary: 'Unblock a web service; it stays stopped until it is started (operators only)',
      fixed: { action: 'unblock' },
      narrowed: { reason: reason.optional() },
      bodyOptional: true,
    },
    {
      operation: 'Moderation.suspend',
      method: 'POST',
      path: '/web-services/{web_service_id}/suspend',
      access: 'operator',
      summary: 'Suspend a web service for its bandwidth; it is stopped (operators only)',
      fixed: { action: 'suspend' },
      narrowed: { reason: reason.default('The bandwidth limit was exceeded.') },
      bodyOptional: true,
    },
    {
      operation: 'Moderation.resume',
      method: 'POST',
      path: '/web-services/{web_service_id}/resume',
      access: 'operator',
      summary: 'End a suspension; the web service stays stopped until it is started (operators only)',
      fixed: { action: 'resume' },
      narrowed: { reason: reason.optional() },
      bodyOptional: true,
    },
  ],
});
export type ModerationAction = z.input<typeof moderateWebService.request>['action'];

export const logLine = z.object({
  timestamp,
  instance: z.string(),
  stream: z.enum(['stdout', 'stderr', 'build', 'platform']),
  message: z.string(),
});

/** Oldest first. */
export const getLogs = request('get-logs', {
  request: ofWebService.extend({
    tail: z.int().min(1).max(10_000).default(100).describe('Number of lines, counted from the end.'),
    since: z.int().min(0).max(4_102_444_800).optional().describe('Unix time in seconds; only lines at or after it.'),
  }),
  reply: z.object({ lines: z.array(logLine) }),
  refusals: { web_service_not_found: 404, runtime_unavailable: 503 },
  http: {
    operation: 'LogsAndMetrics.logs',
    method: 'GET',
    path: '/web-services/{web_service_id}/logs',
    access: ['platform-key', 'session'],
    summary: 'Get the last log lines, oldest first',
    examples: { reply: LOGS },
  },
});
export type Logs = z.output<typeof getLogs.reply>;

const usageOf = z.object({ millicores: z.number().nonnegative(), percent: z.number().nonnegative() });
const memoryOf = z.object({ bytes: z.int().nonnegative(), percent: z.number().nonnegative() });

/** The sum over the running instances, and its percentage of the sum of their limits. */
export const usage = z.object({ cpu: usageOf, memory: memoryOf, instances: z.int().nonnegative() });
export type Usage = z.output<typeof usage>;

export const getMetrics = request('get-metrics', {
  request: ofWebService,
  reply: usage,
  refusals: { web_service_not_found: 404, nothing_to_report: 404 },
  http: {
    operation: 'LogsAndMetrics.metrics',
    method: 'GET',
    path: '/web-services/{web_service_id}/metrics',
    access: ['platform-key', 'session'],
    summary: 'Get the current CPU and memory usage',
    examples: { reply: METRICS },
  },
});

/** At most 300 points, oldest first, one every `step` seconds; there is none for times without instances. */
export const getMetricsHistory = request('get-metrics-history', {
  request: ofWebService.extend({ period: z.int().min(60).max(604_800).default(3600).describe('Seconds before now.') }),
  reply: z.object({
    period: z.int(),
    step: z.int(),
    points: z.array(usage.extend({ timestamp })),
  }),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'LogsAndMetrics.history',
    method: 'GET',
    path: '/web-services/{web_service_id}/metrics/history',
    access: ['platform-key', 'session'],
    summary: 'Get past CPU and memory usage, at most 300 points, oldest first',
    examples: { reply: HISTORY },
  },
});
export type MetricsHistory = z.output<typeof getMetricsHistory.reply>;
