import type { OPERATIONS, ReplyOf, ServiceName, startErasure } from '@postern/contracts';
import { Backoff } from '@postern/messaging/backoff';

/** An erasure as operators see it. It never names the address. */
export type Erasure = ReplyOf<typeof startErasure>;
export type StepReply = ReplyOf<(typeof OPERATIONS)['email-send']['eraseRecipientStep']>;
type Shown = Erasure['services'][number];

/** The row that a sealed address is bound to. */
export const erasureRow = (erasureId: string): string => `erasures/${erasureId}`;

/** The progress of the erasure in one service, and the input of the next step. */
export interface ErasureOfService extends Shown {
  readonly service: ServiceName;
  /** Where the next step of this pass starts; null at the beginning. */
  readonly cursor: string | null;
  /** Whether this pass has erased anything in the service, or may have missed something. */
  readonly changed: boolean;
}

export interface RunningErasure extends Erasure {
  readonly services: ErasureOfService[];
}

/** Pause before a pass is repeated, so that data in memory is written. */
const SETTLE_MS = 5_000;
const POLL_MS = 1_000;
const AFTER_FAILURES = { firstMs: POLL_MS, maxMs: 60_000 };
const BETWEEN_PASSES = { firstMs: SETTLE_MS, maxMs: 5 * 60_000 };

/** The first service with a due step, in the direction in which events flow. */
export const dueService = ({ services }: RunningErasure, now: Date): ErasureOfService | undefined =>
  services.find(
    ({ state, next_attempt_at }) =>
      state !== 'done' && (next_attempt_at === null || Date.parse(next_attempt_at) <= now.getTime()),
  );

/** The progress of a service after a reply. */
export const afterReply = (before: ErasureOfService, reply: StepReply, now: Date): ErasureOfService => {
  if (reply.failure !== null) return afterFailure(before, reply.failure, now);
  const { erased, cursor, waiting_for: reason } = reply;
  const progress = {
    ...before,
    erased,
    kept: cursor === null ? reply.kept : before.kept,
    cursor,
    changed: before.changed || totalOf(erased) !== totalOf(before.erased) || (cursor === null && reason !== null),
  };
  if (reason === null) {
    const state = cursor === null ? 'done' : 'running';
    return { ...progress, state, reason: null, failures: 0, next_attempt_at: null };
  }
  // Without a cursor the whole pass is repeated in this service, which costs more, so the wait grows.
  const waits = cursor === null ? before.failures + 1 : 0;
  const waitMs = cursor === null ? Backoff.exponentialAt(before.failures, BETWEEN_PASSES) : POLL_MS;
  return { ...progress, state: 'waiting', reason, failures: waits, next_attempt_at: later(now, waitMs) };
};

/** A failed step is repeated from the same cursor. */
export const afterFailure = (before: ErasureOfService, reason: string, now: Date): ErasureOfService => {
  const next_attempt_at = later(now, Backoff.exponentialAt(before.failures, AFTER_FAILURES));
  return { ...before, state: 'failed', reason, failures: before.failures + 1, changed: true, next_attempt_at };
};

/**
 * The erasure after a service's progress. When every service is done, it is completed if this pass found nothing anywhere;
 * otherwise another pass follows, for data that was being processed meanwhile. There are at least two passes.
 */
export const withService = (before: RunningErasure, progress: ErasureOfService, now: Date): RunningErasure => {
  const services = before.services.map(other => (other.service === progress.service ? progress : other));
  const after = { ...before, services };
  if (services.some(({ state }) => state !== 'done')) return after;
  if (before.pass > 1 && services.every(({ changed }) => !changed))
    return { ...after, status: 'completed', completed_at: now.toISOString() };
  return { ...anotherPass(after, later(now, SETTLE_MS)), pass: before.pass + 1 };
};

/** The erasure at the beginning of another pass in every service. */
export const anotherPass = (before: RunningErasure, next_attempt_at: string | null): RunningErasure => ({
  ...before,
  services: before.services.map(service => ({
    ...service,
    state: 'pending' as const,
    reason: null,
    failures: 0,
    cursor: null,
    changed: false,
    next_attempt_at,
  })),
});

/** The first state of a service in an erasure. */
export const untouched = (service: ServiceName): ErasureOfService => ({
  service,
  state: 'pending',
  reason: null,
  failures: 0,
  next_attempt_at: null,
  erased: [],
  kept: [],
  cursor: null,
  changed: false,
});

const totalOf = (erased: StepReply['erased']): number => erased.reduce((sum, { rows }) => sum + rows, 0);

const later = (now: Date, ms: number): string => new Date(now.getTime() + ms).toISOString();
