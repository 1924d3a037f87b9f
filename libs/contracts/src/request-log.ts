import { z } from 'zod';
import { requestsOf } from './request.js';
import { id, noContent, page, pageOffset, pageRequest, timestamp } from './shapes.js';

/** The longest stored body of a request, as JSON without secrets and contents. */
export const MAX_LOGGED_BODY = 8_192;
/** The most requests in one report of a gateway. */
export const MAX_REPORTED_REQUESTS = 500;

/** A request of a client, as the log shows it. */
export const loggedRequest = z.object({
  id,
  request_id: z.string().max(128).describe('The header `X-Request-Id` of the response.'),
  at: timestamp.describe('When the request arrived.'),
  method: z.string().max(16),
  path: z.string().max(300).describe('The path, without the query.'),
  status: z.int().min(100).max(599),
  code: z.string().max(100).nullable().describe('The header `Error-Code`; null for a success.'),
  message: z.string().max(1_000).nullable().describe('The sentence of the error; null for a success.'),
  duration_ms: z.int().nonnegative(),
  email_id: id.nullable().describe('The message that the request sent; null for any other request.'),
  body: z
    .string()
    .max(MAX_LOGGED_BODY)
    .nullable()
    .describe('The body as JSON, without secrets and the contents of messages; null if there is none.'),
});

export const listedRequest = loggedRequest.extend({
  key: z.object({ id, name: z.string() }).describe('The key that the request was sent with.'),
});
export type ListedRequest = z.output<typeof listedRequest>;

const reported = loggedRequest.extend({ key_hash: z.string().regex(/^[0-9a-f]{64}$/) });
export type ReportedRequest = z.output<typeof reported>;
const report = z.object({ requests: z.array(reported).max(MAX_REPORTED_REQUESTS) });

/** Stores requests of the email API. Those with an unknown key belong to nobody and are dropped. */
export const recordEmailRequests = requestsOf('email-send', ['api-gateway'])('record-email-requests', {
  request: report,
  reply: noContent,
});

/** Stores requests of the platform API; likewise. */
export const recordPlatformRequests = requestsOf('platform-management', ['api-gateway'])('record-platform-requests', {
  request: report,
  reply: noContent,
});

const filter = {
  request_id: z.string().min(1).max(128).optional().describe('The `X-Request-Id` of a response.'),
  outcome: z
    .enum(['succeeded', 'refused', 'failed'])
    .optional()
    .describe('`refused`: answered with 4xx. `failed`: answered with 5xx.'),
  code: z.string().min(1).max(100).optional().describe('The `Error-Code` of the response.'),
};

export const listEmailRequests = requestsOf('email-send')('list-email-requests', {
  request: pageRequest.extend({ workspace_id: id, service_id: id, key_id: id.optional(), ...filter }),
  reply: page(listedRequest),
  refusals: { service_not_found: 404 },
  http: {
    operation: 'RequestLog.listOfEmailService',
    method: 'GET',
    path: '/email-services/{service_id}/requests',
    access: 'session',
    summary: 'List the requests of the email API with the keys of an email service, newest first',
    description: 'Stored for 7 days, unless the operator has set another time. Bodies have no secrets and no contents.',
    narrowed: { offset: pageOffset },
  },
});

export const listPlatformRequests = requestsOf('platform-management')('list-platform-requests', {
  request: pageRequest.extend({ workspace_id: id, key_id: id, ...filter }),
  reply: page(listedRequest),
  refusals: { platform_key_not_found: 404 },
  http: {
    operation: 'RequestLog.listOfPlatformKey',
    method: 'GET',
    path: '/platform-keys/{key_id}/requests',
    access: 'session',
    role: 'owner',
    summary: 'List the requests of the platform API with a platform key, newest first',
    description: 'Stored for 7 days, unless the operator has set another time. Bodies have no secret values.',
    narrowed: { offset: pageOffset },
  },
});
