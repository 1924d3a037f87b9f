import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { deletion } from './variables.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

/** Log drains of one web service. */
export const LOG_DRAINS_PER_WEB_SERVICE = 5;
/** A drain whose attempts have all failed for this long is disabled. */
export const LOG_DRAIN_DISABLED_AFTER_DAYS = 3;

export const logDrainKind = z.enum(['syslog', 'https', 'otlp']);
export type LogDrainKind = z.output<typeof logDrainKind>;

export const logDrain = z.object({
  id: id.describe('Id of the log drain.'),
  web_service_id: id.describe('Id of the web service.'),
  kind: logDrainKind.describe(
    '`syslog`: RFC 5424 over TLS. `https`: a POST of newline-delimited JSON. `otlp`: OTLP/HTTP with JSON.',
  ),
  url: z.string().describe('Where the lines are sent; values of the query are masked.'),
  header_names: z.array(z.string()).describe('Names of the stored headers. Their values are never returned.'),
  state: z
    .enum(['active', 'failing', 'disabled'])
    .describe(
      '`failing`: every attempt since `failing_since` failed; Postern keeps trying. `disabled`: nothing is sent until it is enabled again.',
    ),
  failing_since: timestamp.nullable().describe('The first of the attempts that all failed; null after a success.'),
  last_error: z.string().nullable().describe('Why the last attempt failed; null after a success.'),
  last_delivered_at: timestamp.nullable().describe('When lines were last accepted; null before the first time.'),
  next_attempt_at: timestamp.nullable().describe('When a failing drain is tried again; null for any other.'),
  lines_waiting: z
    .int()
    .nonnegative()
    .nullable()
    .describe('Stored lines that were not sent yet, at the last attempt; null if the runtime does not count them.'),
  lines_lost: z
    .int()
    .nonnegative()
    .describe('Lines that the log deleted before they could be sent, since the drain was created.'),
  created_at: timestamp.describe('When the log drain was created.'),
});
export type LogDrain = z.output<typeof logDrain>;

const path = '/web-services/{web_service_id}/log-drains';
const ofDrain = ofWebService.extend({ drain_id: id.describe('Id of the log drain.') });

/** Headers that describe the request itself (RFC 9110 §7.6.1 and §8), and those that Postern sets. */
const RESERVED = /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|expect|user-agent)$/i;

const headers = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be letters, digits and hyphens')
      .refine(name => !RESERVED.test(name), 'is set by Postern'),
    z.string().regex(/^[!-~](?:[ -~]{0,4094}[!-~])?$/, 'must be 1 to 4,096 printable ASCII characters'),
  )
  .refine(all => Object.keys(all).length <= 10, 'must have at most 10 entries')
  .refine(
    all => new Set(Object.keys(all).map(name => name.toLowerCase())).size === Object.keys(all).length,
    'must not contain a name twice',
  );

const EXAMPLE = {
  kind: 'https' as const,
  url: 'https://logs.example.com/ingest',
  token: 'ingest-token-of-the-receiver',
};
const REPLY = {
  id: '01977f4e-5d3a-7c2b-9f10-2f6b1c8d4e5f',
  web_service_id: '01977f4e-1c8d-7b3e-8a20-4e5f2f6b9f10',
  kind: 'https' as const,
  url: EXAMPLE.url,
  header_names: ['Authorization'],
  state: 'active' as const,
  failing_since: null,
  last_error: null,
  last_delivered_at: null,
  next_attempt_at: null,
  lines_waiting: 0,
  lines_lost: 0,
  created_at: '2026-06-17T09:30:00.000Z',
};

/** The service also refuses a URL that is not public, with `invalid_url`. */
export const createLogDrain = request('create-log-drain', {
  request: ofWebService.extend({
    kind: logDrainKind.describe('How lines are sent.'),
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe('`https://…`; for `syslog` `syslog+tls://host:port`, with the port 6514 by default.'),
    headers: headers.optional().describe('Headers of each request. Write-only; not for `syslog`.'),
    token: z
      .string()
      .regex(/^[!-~]{1,4096}$/, 'must be printable ASCII without spaces')
      .optional()
      .describe('Sent as `Authorization: Bearer …`. Write-only; not for `syslog`.'),
  }),
  reply: logDrain,
  refusals: {
    web_service_not_found: 404,
    invalid_input: 400,
    invalid_url: 400,
    too_many_log_drains: 409,
    runtime_unavailable: 503,
  },
  http: {
    operation: 'LogDrains.create',
    method: 'POST',
    path,
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create a log drain, which sends the log of a web service to another system',
    description:
      'Lines that are written from now on are sent in order, each at least once. Its id tells a repeated line. A web service can have 5 log drains.',
    examples: { body: EXAMPLE, reply: REPLY },
  },
  deadlineMs: 15_000,
});

export const listLogDrains = request('list-log-drains', {
  request: ofWebService,
  reply: z.array(logDrain),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'LogDrains.list',
    method: 'GET',
    path,
    access: ['platform-key', 'session'],
    summary: 'List the log drains of a web service, oldest first',
    description: 'Headers and tokens are never returned.',
    examples: { reply: [REPLY] },
  },
});

export const changeLogDrain = request('change-log-drain', {
  request: ofDrain.extend({ enabled: z.boolean().describe('Whether lines are sent.') }),
  reply: logDrain,
  refusals: { web_service_not_found: 404, log_drain_not_found: 404 },
  http: {
    operation: 'LogDrains.change',
    method: 'PATCH',
    path: `${path}/{drain_id}`,
    access: ['platform-key', 'session'],
    summary: 'Enable or disable a log drain',
    description: 'A drain that is enabled again continues after the last line that was sent, if it is still stored.',
    examples: { body: { enabled: true }, reply: REPLY },
  },
});

export const removeLogDrain = request('remove-log-drain', {
  request: ofDrain,
  reply: deletion,
  refusals: { web_service_not_found: 404, log_drain_not_found: 404 },
  http: {
    operation: 'LogDrains.remove',
    method: 'DELETE',
    path: `${path}/{drain_id}`,
    access: ['platform-key', 'session'],
    summary: 'Delete a log drain; lines that were not sent yet are not sent',
    description: 'The stored log of the web service is unchanged.',
    examples: { reply: { id: REPLY.id, deleted: true } },
  },
});

export const testLogDrain = request('test-log-drain', {
  request: ofDrain,
  reply: z.object({
    accepted: z.boolean().describe('Whether the receiver accepted the line.'),
    error: z.string().nullable().describe('Why it did not; null if it did.'),
    duration_ms: z.int().nonnegative().describe('Milliseconds until the receiver answered.'),
  }),
  refusals: { web_service_not_found: 404, log_drain_not_found: 404, tests_in_progress: 409 },
  http: {
    operation: 'LogDrains.test',
    method: 'POST',
    path: `${path}/{drain_id}/test`,
    access: ['platform-key', 'session'],
    summary: 'Send a test line now, and return how the receiver answered',
    description: 'Works for a disabled drain too. It changes neither the state of the drain nor what it has sent.',
    examples: { reply: { accepted: true, error: null, duration_ms: 84 } },
  },
  deadlineMs: 15_000,
});
