import { z } from 'zod';
import { requestsOf } from '../request.js';
import { noContent, timestamp } from '../shapes.js';
import { runtimeId } from './orders.js';

const request = requestsOf('runtime-agent', ['platform-management']);

/** Missing isolation or limits of the machine, one sentence each. */
export const describeIsolation = requestsOf('runtime-agent', ['operator'])('describe-isolation', {
  request: noContent,
  reply: z.object({ gaps: z.array(z.string()) }),
});

const ofWebService = z.object({ web_service_id: runtimeId });

/** The features that plans of this runtime may use; absent features are refused before a plan is created. */
export const getRuntimeFeatures = request('get-runtime-features', {
  request: noContent,
  reply: z.object({ features: z.array(z.string()) }),
});

/** `status` is null if nothing of the service runs. */
export const getRuntimeStatus = request('get-runtime-status', {
  request: ofWebService,
  reply: z.object({
    status: z
      .object({
        roll_id: z.string(),
        healthy: z.int(),
        instances: z.int(),
        last_failure: z.string().optional(),
        restarts: z.int(),
        /** No instance runs until the next request; absent if instances run. */
        asleep: z.boolean().optional(),
        /** By process type; absent if there are none. */
        processes: z.record(z.string(), z.object({ instances: z.int(), failure: z.string().nullable() })).optional(),
      })
      .nullable(),
  }),
  deadlineMs: 15_000,
});

/** Of all services with running instances. */
export const getRuntimeUsage = request('get-runtime-usage', {
  request: noContent,
  reply: z.object({
    services: z.array(
      z.object({
        web_service_id: z.string(),
        cpu_millicores: z.number(),
        cpu_percent: z.number(),
        memory_bytes: z.number(),
        memory_percent: z.number(),
        instances: z.int(),
        answers: z.object({ per_second: z.number(), server_errors: z.number(), response_ms: z.number() }).optional(),
      }),
    ),
  }),
  deadlineMs: 15_000,
});

/** The stable URL of a service; reserved at the first request. */
export const reserveAddress = request('reserve-address', {
  request: ofWebService.extend({ name: z.string() }),
  reply: z.object({ url: z.string() }),
  deadlineMs: 15_000,
});

/** Segment and byte offset after a line. */
const logPlace = z.string().regex(/^\d{1,14}-\d{1,12}$/);

const stream = z.enum(['stdout', 'stderr', 'build', 'platform']);

/** The last `tail` lines from `since` to `until` (Unix seconds) of these streams and this instance, oldest first. */
export const readRuntimeLog = request('read-runtime-log', {
  request: ofWebService.extend({
    tail: z.int().min(1).max(10_000),
    since: z.number().optional(),
    until: z.number().optional(),
    streams: z.array(stream).optional(),
    search: z.string().optional(),
    instance: z.string().optional(),
  }),
  reply: z.object({
    lines: z.array(z.object({ timestamp, instance: z.string(), stream, message: z.string() })),
  }),
});

/**
 * Lines in storage order, after the line with the id `after`; without it, those since `since` (Unix seconds), or the
 * last `tail`.
 */
export const readRuntimeLogPage = request('read-runtime-log-page', {
  request: ofWebService.extend({
    after: logPlace.optional(),
    tail: z.int().min(1).max(1_000),
    instance: z.string().optional(),
    since: z.number().optional(),
    max_lines: z.int().min(1).max(1_000),
    max_bytes: z.int().min(1).max(1_048_576),
    counted: z.boolean().optional(),
  }),
  reply: z.object({
    lines: z.array(z.object({ id: logPlace, timestamp, instance: z.string(), stream, message: z.string() })),
    next: logPlace,
    has_more: z.boolean(),
    is_incomplete: z.boolean(),
    /** The numbers of lines before and after `next`, including deleted ones; absent unless `counted`. */
    counts: z.object({ before: z.int().nonnegative(), after: z.int().nonnegative() }).optional(),
  }),
});

/** Appends text to the log of a service; it is on disk when this returns. Idempotent by `write_id`. */
export const writeRuntimeLog = request('write-runtime-log', {
  request: ofWebService.extend({
    write_id: z.uuid(),
    /** When this text was first sent; undefined at the first attempt. */
    first_sent_at: timestamp.optional(),
    instance: z.string(),
    redact: z.array(z.string()),
    chunks: z.array(z.object({ stream, text: z.string() })),
  }),
  reply: noContent,
  deadlineMs: 15_000,
});

/** Unconfirmed bytes of one service; a confirmation contains `up_to`. */
const countedTraffic = z.object({ web_service_id: z.string(), bytes: z.number(), up_to: z.number() });

/** At most 5,000 services with traffic; the next ones after these were confirmed. */
export const readTraffic = request('read-traffic', {
  request: noContent,
  reply: z.object({ epoch: z.string(), services: z.array(countedTraffic) }),
});

export const confirmTraffic = request('confirm-traffic', {
  request: z.object({
    epoch: z.string(),
    services: z.array(z.object({ web_service_id: z.string(), up_to: z.number() })),
  }),
  reply: noContent,
  deadlineMs: 15_000,
});

/** Every custom domain of every service; domains that a request does not contain are no longer routed. */
export const routeDomains = request('route-domains', {
  request: z.object({ domains: z.array(z.object({ domain: z.string(), web_service_id: runtimeId })) }),
  reply: noContent,
  deadlineMs: 15_000,
});
