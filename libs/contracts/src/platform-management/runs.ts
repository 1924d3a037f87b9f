import { z } from 'zod';
import { requestsOf } from '../request.js';
import { terminalSize } from '../runtime-agent/terminal-size.js';
import { id, page, timestamp } from '../shapes.js';
import { LOGS, onePageOf, RUN } from './examples.js';
import { logLine, logPage, logPageRequest } from './logs-and-metrics.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

export const runStatus = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']);
export type RunStatus = z.output<typeof runStatus>;

/** A one-off command with the live release and its environment. */
export const run = z.object({
  id: id.describe('Id of the run.'),
  web_service_id: id.describe('The web service whose release runs the command.'),
  command: z.string().describe('The command, for a shell in the folder of the application.'),
  status: runStatus.describe('`succeeded` for exit code 0. `queued` and `running` are not final.'),
  exit_code: z.int().nullable().describe('Null until the command has exited, and if it was stopped.'),
  reason: z.string().nullable().describe('Why it did not succeed; null otherwise.'),
  created_at: timestamp.describe('When it was requested.'),
  started_at: timestamp.nullable().describe('When the command started; null before.'),
  finished_at: timestamp.nullable().describe('When it ended; null before.'),
  cron_job_id: id.nullable().describe('The cron job that it is a run of; null for a one-off command.'),
  scheduled_for: timestamp.nullable().describe('The time of the schedule that it is for.'),
});
export type Run = z.output<typeof run>;

/** The time limit of a command. */
export const RUN_DEADLINE_MS = 60 * 60_000;

const commandText = z.string().trim().min(1, 'must not be empty').max(4096);

export const createRun = request('create-run', {
  request: ofWebService.extend({ command: commandText.describe('For a shell; stored as it is.') }),
  reply: run,
  refusals: {
    web_service_not_found: 404,
    invalid_input: 400,
    nothing_to_run: 400,
    runs_not_supported: 400,
    service_blocked: 403,
    service_suspended: 403,
    quota_reached: 409,
    runtime_unavailable: 503,
  },
  http: {
    operation: 'Runs.create',
    method: 'POST',
    path: '/web-services/{web_service_id}/runs',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Run a one-off command with the live release and its environment',
    examples: {
      body: { command: 'node migrate.js' },
      reply: {
        id: '01977f4e-5d3a-7c2b-9f10-2f6b1c8d4e5f',
        web_service_id: '01977f4e-1c8d-7b3e-8a20-4e5f2f6b9f10',
        command: 'node migrate.js',
        status: 'queued',
        exit_code: null,
        reason: null,
        created_at: '2026-06-17T09:30:00.000Z',
        started_at: null,
        finished_at: null,
        cron_job_id: null,
        scheduled_for: null,
      },
    },
    description:
      'The command runs alongside the instances, at most once, for at most one hour. Until it ends, it counts as an instance in the quota. Poll the run until its status is final.',
  },
});

/** The maximum number of open shells of one web service. */
export const SHELLS_PER_SERVICE = 5;

/**
 * Queues a command with a terminal as a run: an interactive shell by default. The reply has the token with which the caller
 * uses the terminal; only its hash is stored. The command ends when nobody reads its terminal.
 */
export const openShell = request('open-shell', {
  request: ofWebService.extend({ ...terminalSize.shape, command: commandText.optional() }),
  reply: z.object({ run, token: z.string() }),
  refusals: {
    web_service_not_found: 404,
    invalid_input: 400,
    nothing_to_run: 400,
    terminals_not_supported: 400,
    service_blocked: 403,
    service_suspended: 403,
    quota_reached: 409,
    too_many_shells: 409,
    runtime_unavailable: 503,
  },
  callers: ['api-gateway'],
});

/** Newest first. */
export const listRuns = request('list-runs', {
  request: ofWebService.extend({
    limit: z.int().min(1).max(100).default(10).describe('Maximum number of runs on the page.'),
    offset: z.int().min(0).max(1_000_000_000).default(0).describe('Number of runs to skip.'),
  }),
  reply: page(run),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'Runs.list',
    method: 'GET',
    path: '/web-services/{web_service_id}/runs',
    access: ['platform-key', 'session'],
    summary: 'List one-off commands, newest first; the last 100 that have ended are kept',
    description: 'Runs of cron jobs are in the lists of those.',
    examples: { reply: onePageOf(RUN, 20) },
  },
});

const ofRun = ofWebService.extend({ run_id: id.describe('Id of the run.') });

export const getRun = request('get-run', {
  request: ofRun,
  reply: run.extend({ lines: z.array(logLine).describe('The last 1,000 lines of output, oldest first.') }),
  refusals: { web_service_not_found: 404, run_not_found: 404, runtime_unavailable: 503 },
  http: {
    operation: 'Runs.get',
    method: 'GET',
    path: '/web-services/{web_service_id}/runs/{run_id}',
    access: ['platform-key', 'session'],
    summary: 'Get a one-off command with its output',
    description: 'Poll it until its status is final.',
    examples: { reply: { ...RUN, ...LOGS } },
  },
});
export type RunWithOutput = z.output<typeof getRun.reply>;

/** One part of the output of a run, from its first line; its last part has `is_over`. */
export const followRun = request('follow-run', {
  request: ofRun.extend(logPageRequest.shape),
  reply: logPage.extend({ is_over: z.boolean() }),
  refusals: { web_service_not_found: 404, run_not_found: 404, runtime_unavailable: 503 },
  callers: ['api-gateway'],
});

/** Ends the command; its status is `cancelled` once all its processes have ended. */
export const cancelRun = request('cancel-run', {
  request: ofRun,
  reply: run,
  refusals: { web_service_not_found: 404, run_not_found: 404, run_over: 409 },
  http: {
    operation: 'Runs.cancel',
    method: 'DELETE',
    path: '/web-services/{web_service_id}/runs/{run_id}',
    access: ['platform-key', 'session'],
    summary: 'Cancel a one-off command that has not ended; it stays in the list',
    description: 'Stops the command; a run that has ended stays as it is.',
    examples: { reply: { ...RUN, status: 'cancelled', exit_code: null } },
  },
});
