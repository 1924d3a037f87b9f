import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';

const request = requestsOf('email-send', ['operator']);

/** Rows of one kind: a table, or `events`. */
export const erasedRows = z.object({ kind: z.string(), rows: z.int() });

/** Rows with the address that an erasure keeps. */
export const keptRows = z.object({ kind: z.string(), rows: z.int(), reason: z.string() });

export const erasureStepRequest = z.object({
  address: z.string().min(3).max(320),
  replacement: z.string().min(3).max(320),
  cursor: z.string().max(2_000).nullable().describe('From the last reply; null to start a pass.'),
});

export const erasureStepReply = z.object({
  erased: z.array(erasedRows).describe('Everything that the service has erased under this replacement so far.'),
  kept: z.array(keptRows),
  cursor: z.string().nullable().describe('Where to continue; null when the pass is finished.'),
  waiting_for: z.string().nullable().describe('What must happen first; if the cursor is null, repeat the pass later.'),
  failure: z.string().nullable().describe('Why the step failed. Repeat it with the same cursor.'),
});

export const erasureServiceState = z.enum(['pending', 'running', 'waiting', 'failed', 'done']);

/** The progress of an erasure in one service. */
export const erasureOfService = z.object({
  service: z.string().describe('A service with a database. Releases may add services.'),
  state: erasureServiceState,
  reason: z.string().nullable().describe('Why it waits or failed.'),
  failures: z.int().describe('Failed attempts in a row.'),
  next_attempt_at: timestamp.nullable(),
  erased: z.array(erasedRows),
  kept: z.array(keptRows),
});

/** The erasure of one recipient, without the address. */
export const erasure = z.object({
  id,
  status: z.enum(['running', 'completed']),
  replacement: z.string().describe('The text that replaces the address.'),
  pass: z.int().describe('Passes over all services, this one included; the last one finds nothing.'),
  requested_at: timestamp,
  completed_at: timestamp.nullable(),
  services: z.array(erasureOfService),
});

/**
 * Records the erasure of a recipient, which email-send then carries out in every service. A running erasure of the
 * same address is joined; a completed one runs again.
 */
export const startErasure = request('start-erasure', {
  request: z.object({ address: z.string().min(3).max(320) }),
  reply: erasure,
  refusals: { invalid_input: 400 },
});

export const getErasure = request('get-erasure', {
  request: z.object({ erasure_id: id }),
  reply: erasure,
  refusals: { erasure_not_found: 404 },
});

/** Newest first. */
export const listErasures = request('list-erasures', {
  request: z.object({ limit: z.int().min(1).max(1_000).default(100) }),
  reply: z.object({ erasures: z.array(erasure) }),
});
