import { z } from 'zod';
import { fieldHints } from '../field-hints.js';
import { requestsOf } from '../request.js';
import { timestamp } from '../shapes.js';
import { HISTORY, LOGS, METRICS } from './examples.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

export const logLine = z.object({
  timestamp: timestamp.describe('When the line was written.'),
  instance: z.string().describe('The instance or build that wrote the line.'),
  stream: z
    .enum(['stdout', 'stderr', 'build', 'platform'])
    .describe('`stdout` and `stderr` of an instance, the output of a `build`, or a message of the `platform`.'),
  message: z.string().describe('The line, with secret values masked.'),
});

/** Oldest first. */
export const getLogs = request('get-logs', {
  request: ofWebService.extend({
    tail: z.int().min(1).max(10_000).default(100).describe('Number of lines, counted from the end.'),
    since: z
      .int('must be Unix seconds, such as 1767225600')
      .min(0)
      .max(4_102_444_800)
      .optional()
      .describe('Unix time in seconds; only lines at or after it.'),
    search: z.string().trim().min(1).max(200).optional().describe('Only lines that contain it, in any case.'),
  }),
  reply: z.object({ lines: z.array(logLine).describe('Log lines, oldest first.') }),
  refusals: { web_service_not_found: 404, runtime_unavailable: 503 },
  http: {
    operation: 'LogsAndMetrics.logs',
    method: 'GET',
    path: '/web-services/{web_service_id}/logs',
    access: ['platform-key', 'session'],
    summary: 'Get the last log lines, oldest first',
    description:
      'Contains the output of builds and instances. `search` looks through all lines that are stored. To follow a log, read its stream.',
    examples: { reply: LOGS },
  },
});
export type Logs = z.output<typeof getLogs.reply>;

const TAIL = 'The number of lines is the field "tail".';
fieldHints.add(getLogs.request, { oneOf: [], unknown: { lines: TAIL, limit: TAIL, n: TAIL } });

/** The id of a line in a stream of the log. */
export const logLineId = z.string().regex(/^\d{1,14}-\d{1,12}$/);

/** One part of a stream of log lines, in storage order. */
export const logPageRequest = z.object({
  /** The id of the line after which the page begins. */
  after: logLineId.optional(),
  max_lines: z.int().min(1).max(1_000),
  max_bytes: z.int().min(1).max(1_048_576),
});

export const logPage = z.object({
  lines: z.array(logLine.extend({ id: logLineId })),
  next: logLineId,
  has_more: z.boolean(),
  is_incomplete: z.boolean(),
});

/** One part of the stream of a log: lines after the one with the id `after`, or the last `tail`, in storage order. */
export const followLogs = request('follow-logs', {
  request: ofWebService.extend({ ...logPageRequest.shape, tail: z.int().min(1).max(1_000) }),
  reply: logPage,
  refusals: { web_service_not_found: 404, runtime_unavailable: 503 },
  callers: ['api-gateway'],
});

const percent = z.number().nonnegative().describe('Percentage of the limit of all running instances.');
const usageOf = z.object({ millicores: z.number().nonnegative().describe('Thousandths of a core.'), percent });
const memoryOf = z.object({ bytes: z.int().nonnegative().describe('Bytes in use.'), percent });

/** The sum over the running instances, and its percentage of the sum of their limits. */
export const usage = z.object({
  cpu: usageOf.describe('CPU usage of all running instances.'),
  memory: memoryOf.describe('Memory usage of all running instances.'),
  instances: z.int().nonnegative().describe('Number of running instances.'),
});
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
    description: 'Not found if the web service is not running.',
    examples: { reply: METRICS },
  },
});

const requests = z.object({
  per_second: z.number().nonnegative().describe('Answered requests per second.'),
  errors_per_second: z.number().nonnegative().describe('Answers per second with a status of 500 or above.'),
  response_ms: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Average milliseconds until an answer began; null without requests.'),
});

/** At most 300 points, oldest first, one every `step` seconds; there is none for times without instances. */
export const getMetricsHistory = request('get-metrics-history', {
  request: ofWebService.extend({ period: z.int().min(60).max(604_800).default(3600).describe('Seconds before now.') }),
  reply: z.object({
    period: z.int().describe('Seconds before now, as requested.'),
    step: z.int().describe('Seconds between two points.'),
    points: z
      .array(
        usage.extend({
          timestamp: timestamp.describe('When the usage was measured.'),
          requests: requests.nullable().describe('Requests; null where they are not counted, as on Kubernetes.'),
        }),
      )
      .describe('Measurements, oldest first; none for times without instances.'),
  }),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'LogsAndMetrics.history',
    method: 'GET',
    path: '/web-services/{web_service_id}/metrics/history',
    access: ['platform-key', 'session'],
    summary: 'Get past CPU and memory usage and requests, at most 300 points, oldest first',
    description: 'There are no points for times without running instances.',
    examples: { reply: HISTORY },
  },
});
export type MetricsHistory = z.output<typeof getMetricsHistory.reply>;
