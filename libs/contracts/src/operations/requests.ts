import { z } from 'zod';
import { requestsOf } from '../request.js';
import { SERVICE_NAMES, type ServiceName } from '../service-name.js';
import { noContent, timestamp } from '../shapes.js';
import { erasureStepReply, erasureStepRequest } from './erasures.js';

/** The state of a read model, from the database. */
export const projectionStatus = z.object({
  name: z.string(),
  generation: z.int().describe('The number of times it was built; increases when a rebuild replaces it.'),
  version: z.int(),
  lag: z.int().describe('Events it has not processed yet, counted up to 100,000.'),
  rebuilding: z.boolean(),
  last_error: z.string().nullable().describe('Why the last rebuild failed, if the replying replica ran it.'),
});

/** How far a consumer has read the log of a service. */
export const readerStatus = z.object({
  consumer: z.string(),
  lag: z.int().describe('Events that it has not read, counted up to 100,000.'),
  delay_seconds: z.number().describe('Age of the oldest of them; 0 without any.'),
  asked_seconds_ago: z.number().nullable().describe('When it last asked for events; null if it never has.'),
});

/** The number of sealed values of one kind per key of POSTERN_ENCRYPTION_KEYS. */
export const sealedCount = z.object({ kind: z.string(), key_id: z.string(), values: z.int() });

export const finding = z.object({
  check: z.string(),
  verdict: z.enum(['good', 'warning', 'bad']),
  found: z.string(),
  advice: z.string().optional().describe('What to change.'),
});

export const setAsideEvent = z.object({
  consumer: z.string(),
  event_id: z.uuid(),
  type: z.string(),
  failures: z.int(),
  last_error: z.string(),
  set_aside_at: timestamp,
  retry_at: timestamp,
});

const operationsOf = (service: ServiceName) => {
  const request = requestsOf(service, ['operator']);
  return {
    listProjections: request('list-projections', {
      request: noContent,
      reply: z.object({ projections: z.array(projectionStatus) }),
      deadlineMs: 15_000,
    }),
    /** Starts a rebuild and returns immediately; `generation` is the one that will be replaced. */
    rebuildProjection: request('rebuild-projection', {
      request: z.object({ name: z.string().max(200) }),
      reply: z.object({ generation: z.int() }),
      refusals: { projection_not_found: 404, rebuild_under_way: 409 },
    }),
    /** The consumers of the service's events. */
    listReaders: request('list-readers', {
      request: noContent,
      reply: z.object({ readers: z.array(readerStatus) }),
      deadlineMs: 15_000,
    }),
    /** Events that a consumer of the service cannot handle, the oldest first. They are retried automatically. */
    listSetAsideEvents: request('list-set-aside-events', {
      request: z.object({ limit: z.int().min(1).max(1_000).default(100) }),
      reply: z.object({ events: z.array(setAsideEvent), total: z.int() }),
    }),
    retrySetAsideEvent: request('retry-set-aside-event', {
      request: z.object({ event_id: z.uuid() }),
      reply: noContent,
      refusals: { event_not_set_aside: 404 },
    }),
    /** Deletes the event unhandled; its consumer never sees it again. */
    discardSetAsideEvent: request('discard-set-aside-event', {
      request: z.object({ event_id: z.uuid() }),
      reply: z.object({ consumers: z.array(z.string()) }),
      refusals: { event_not_set_aside: 404 },
    }),
    countSealedValues: request('count-sealed-values', {
      request: noContent,
      reply: z.object({
        sealing_key: z.string().nullable().describe('The first key; null if the service seals nothing.'),
        known_keys: z.array(z.string()),
        counts: z.array(sealedCount),
      }),
      deadlineMs: 60_000,
    }),
    /** Re-encrypts some values of older keys with the first key; repeat until `resealed` is 0. */
    resealValues: request('reseal-values', {
      request: z.object({ limit: z.int().min(1).max(1_000).default(200) }),
      reply: z.object({
        resealed: z.int(),
        unopened: z
          .array(z.string())
          .optional()
          .describe(
            'At the end: values that no known key can decrypt, by table, column and id; only some of them if there are many.',
          ),
      }),
      deadlineMs: 60_000,
    }),
    /** Runs one bounded step of an erasure. It may be repeated with any cursor. */
    eraseRecipientStep: request('erase-recipient-step', {
      request: erasureStepRequest,
      reply: erasureStepReply,
      callers: ['email-send'],
      deadlineMs: 20_000,
    }),
    /** Checks the service's dependencies. `now` is the time of its clock. */
    diagnose: request('diagnose', {
      request: noContent,
      reply: z.object({ now: timestamp, findings: z.array(finding) }),
      deadlineMs: 60_000,
    }),
  };
};

export type Operations = ReturnType<typeof operationsOf>;

/**
 * The requests that every service with a database handles for its operator. Only the operator may send them, except the
 * steps of an erasure, which email-send carries out.
 */
export const OPERATIONS = Object.fromEntries(
  SERVICE_NAMES.map(service => [service, operationsOf(service)]),
) as Readonly<Record<ServiceName, Operations>>;

/**
 * Sends a mail through the relay from and to a return path of Postern. When it or a notification about it arrives,
 * delivery-tracking publishes on `returnPathArrivals(probe_id)`.
 */
export const probeReturnPath = requestsOf('email-send', ['operator'])('probe-return-path', {
  request: z.object({ probe_id: z.uuidv4().describe('A version 4 UUID, unlike the id of an email.') }),
  reply: z.object({ relay: z.string(), taken: z.boolean(), answer: z.string() }),
  deadlineMs: 60_000,
});

/** A subject of core NATS; messages without a subscriber are lost. */
export const returnPathArrivals = (probeId: string): string => `postern.operations.return-path-arrivals.${probeId}`;

/** Reclassifies stored bounce notices by the current rules, a batch at a time. */
export const reclassifyBounces = requestsOf('delivery-tracking', ['operator'])('reclassify-bounces', {
  request: z.object({
    after_id: z
      .string()
      .regex(/^\d{1,18}$/)
      .optional()
      .describe('`next_after_id` of the batch before.'),
  }),
  reply: z.object({
    rules_version: z.int(),
    read: z.int().describe('Notices in the batch.'),
    changed: z.int().describe('Bounces whose rule or type has changed.'),
    next_after_id: z.string().nullable().describe('Null after the last batch.'),
  }),
  deadlineMs: 60_000,
});
