import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, page, timestamp } from '../shapes.js';
import { onePageOf, RUN } from './examples.js';
import { RUN_DEADLINE_MS, run, runStatus } from './runs.js';
import { deletion } from './variables.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

/** Cron jobs of one web service. */
export const CRON_JOBS_PER_WEB_SERVICE = 20;

const MAX_SECONDS = RUN_DEADLINE_MS / 1_000;

const overlap = z
  .enum(['skip', 'replace', 'allow'])
  .describe(
    'What happens if a run is still in progress at the next scheduled time: the new run is skipped, it replaces the current one, or both run.',
  );

/** A command that runs at the times of a schedule. */
export const cronJob = z.object({
  id: id.describe('Id of the cron job.'),
  web_service_id: id.describe('The web service whose live release runs the command.'),
  name: z.string().describe('Name of the cron job, unique in its web service.'),
  schedule: z.string().describe('A cron expression of five fields, in the time zone.'),
  time_zone: z.string().describe('IANA time zone of the schedule.'),
  command: z.string().describe('The command, for a shell in the folder of the application.'),
  overlap,
  time_limit_seconds: z.int().describe('A run that takes longer is stopped and fails.'),
  enabled: z.boolean().describe('Whether the job is enabled.'),
  next_run_at: timestamp.nullable().describe('The next time of the schedule; null while the job is disabled.'),
  last_run: z
    .object({
      id: id.describe('Id of the run.'),
      status: runStatus.describe('`succeeded` for exit code 0.'),
      scheduled_for: timestamp.describe('The time of the schedule that it is for.'),
    })
    .nullable()
    .describe('The newest entry of its history; null before the first one.'),
  created_at: timestamp.describe('When the cron job was created.'),
});
export type CronJob = z.output<typeof cronJob>;

const fields = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 lower-case letters, digits and hyphens')
    .describe('Name of the cron job: 1 to 40 lower-case letters, digits and hyphens.'),
  schedule: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe('Minute, hour, day of month, month and day of week, in the time zone.'),
  time_zone: z.string().min(1).max(64),
  command: z.string().trim().min(1, 'must not be empty').max(4096).describe('For a shell; stored as it is.'),
  time_limit_seconds: z.int().min(1).max(MAX_SECONDS),
};

const path = '/web-services/{web_service_id}/cron-jobs';
const ofCronJob = ofWebService.extend({ cron_job_id: id.describe('Id of the cron job.') });

const EXAMPLE = {
  name: 'nightly-report',
  schedule: '0 3 * * *',
  time_zone: 'Europe/Berlin',
  command: 'node report.js',
  overlap: 'skip' as const,
  time_limit_seconds: 600,
};
const REPLY = {
  id: '01977f4e-5d3a-7c2b-9f10-2f6b1c8d4e5f',
  web_service_id: '01977f4e-1c8d-7b3e-8a20-4e5f2f6b9f10',
  ...EXAMPLE,
  enabled: true,
  next_run_at: '2026-06-18T01:00:00.000Z',
  last_run: null,
  created_at: '2026-06-17T09:30:00.000Z',
};

/** The service also refuses a schedule that is not a cron expression or never matches, with `invalid_input`. */
export const createCronJob = request('create-cron-job', {
  request: ofWebService.extend({
    ...fields,
    time_zone: fields.time_zone
      .default('UTC')
      .describe('IANA time zone of the schedule, such as Europe/Berlin; summer time is followed.'),
    overlap: overlap.default('skip'),
    time_limit_seconds: fields.time_limit_seconds
      .default(MAX_SECONDS)
      .describe('A run that takes longer is stopped and fails; at most one hour.'),
    enabled: z.boolean().default(true).describe('Whether the job is enabled.'),
  }),
  reply: cronJob,
  refusals: {
    web_service_not_found: 404,
    invalid_input: 400,
    runs_not_supported: 400,
    cron_job_exists: 409,
    too_many_cron_jobs: 409,
    runtime_unavailable: 503,
  },
  http: {
    operation: 'CronJobs.create',
    method: 'POST',
    path,
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create a cron job, which runs a command on a schedule',
    examples: { body: EXAMPLE, reply: REPLY },
    description:
      'Each run is a one-off command with the live release and its environment. No job runs while the web service is stopped, blocked or suspended.',
  },
});

export const listCronJobs = request('list-cron-jobs', {
  request: ofWebService,
  reply: z.array(cronJob),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'CronJobs.list',
    method: 'GET',
    path,
    access: ['platform-key', 'session'],
    summary: 'List the cron jobs of a web service, by name',
    description: 'Includes disabled jobs.',
    examples: { reply: [REPLY] },
  },
});

export const changeCronJob = request('change-cron-job', {
  request: ofCronJob.extend({
    name: fields.name.optional(),
    schedule: fields.schedule.optional(),
    time_zone: fields.time_zone.optional().describe('IANA time zone of the schedule, such as Europe/Berlin.'),
    command: fields.command.optional(),
    overlap: overlap.optional(),
    time_limit_seconds: fields.time_limit_seconds.optional().describe('At most one hour.'),
    enabled: z.boolean().optional().describe('Whether the job is enabled.'),
  }),
  reply: cronJob,
  refusals: { web_service_not_found: 404, cron_job_not_found: 404, invalid_input: 400, cron_job_exists: 409 },
  http: {
    operation: 'CronJobs.change',
    method: 'PATCH',
    path: `${path}/{cron_job_id}`,
    access: ['platform-key', 'session'],
    summary: 'Change a cron job; absent fields keep their values',
    description: 'Fields that are absent keep their values.',
    examples: { body: { enabled: false }, reply: { ...REPLY, enabled: false, next_run_at: null } },
  },
});

export const removeCronJob = request('remove-cron-job', {
  request: ofCronJob,
  reply: deletion,
  refusals: { web_service_not_found: 404, cron_job_not_found: 404 },
  http: {
    operation: 'CronJobs.remove',
    method: 'DELETE',
    path: `${path}/{cron_job_id}`,
    access: ['platform-key', 'session'],
    summary: 'Delete a cron job with its history; a run in progress is cancelled',
    description: 'A run in progress continues.',
    examples: { reply: { id: REPLY.id, deleted: true } },
  },
});

/** Newest first. */
export const listCronJobRuns = request('list-cron-job-runs', {
  request: ofCronJob.extend({
    limit: z.int().min(1).max(100).default(10).describe('Maximum number of runs on the page.'),
    offset: z.int().min(0).max(1_000_000_000).default(0).describe('Number of runs to skip.'),
  }),
  reply: page(run),
  refusals: { web_service_not_found: 404, cron_job_not_found: 404 },
  http: {
    operation: 'CronJobs.runs',
    method: 'GET',
    path: `${path}/{cron_job_id}/runs`,
    access: ['platform-key', 'session'],
    summary: 'List the runs of a cron job, newest first; the last 100 that have ended are kept',
    description:
      'A time of the schedule that was skipped or missed is an entry with the status `cancelled` and the reason.',
    examples: { reply: onePageOf(RUN, 20) },
  },
});
