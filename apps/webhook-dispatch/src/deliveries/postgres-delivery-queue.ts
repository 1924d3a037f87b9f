import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MAX_LISTENER_EVENTS } from '@postern/contracts';
import { GroupCommit } from '@postern/event-sourcing';
import { type EventTransaction, inSteps } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { Database, firstIdAt, KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { NIL as NIL_UUID, v7 as uuidv7 } from 'uuid';
import { arrayOf } from './array-literal.js';
import {
  ENQUEUE,
  ENQUEUE_TEST,
  FIND_FAILING_WEBHOOKS,
  HOLD_FOR_DISABLED,
  PURGE,
  READ_AGAIN,
  READ_DUE,
  RECORD_ATTEMPTS,
  REPLAY,
  REPLAY_MISSED,
} from './delivery-queue.sql.js';
import {
  type AttemptResult,
  DeliveryQueue,
  type DueDelivery,
  type DueRequest,
  MISSED,
  type MissedState,
  type PendingDelivery,
  type QueuedEvent,
} from './ports.js';

const MAX_RECORD_BATCH = 500;
/** What is not recorded after these tries is attempted again. */
const RECORD_TRIES = 10;
const RECORD_RETRY_MS = 1_000;
/**
 * Larger batches are planned on each execution (0.5 ms): a named statement keeps its first plans, and those of an empty
 * queue scan all of a full one.
 */
const UNNAMED_FROM = 16;
const MAX_CACHED_SECRETS = 10_000;
/** Deliveries per transaction; a long write transaction would delay the event feed. */
const REPLAY_BATCH = 1_000;

/** Deliveries per transaction of the purge. */
const PURGE_STEP = 1_000;

interface PurgeRow {
  readonly examined: number;
  readonly purged: number;
  readonly last: string | null;
}

interface ReplayRow {
  readonly replayed: number;
  readonly created_at: string;
  readonly id: string;
  readonly until: string;
}

interface PendingRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly service_id: string;
  readonly workspace_id: string;
  readonly url: string;
  readonly rate_limit: number | null;
  readonly ordered: boolean;
  readonly current: string;
  readonly payload: string;
  readonly attempts: number;
  readonly traceparent: string | null;
}

/** The delivery queue in PostgreSQL, shared by all replicas. Decision 59 compares it with graphile-worker. */
@Injectable()
export class PostgresDeliveryQueue extends DeliveryQueue {
  readonly #pool: pg.Pool;
  readonly #listeners: (() => void)[] = [];
  readonly #secrets = new Map<string, { readonly sealed: string; readonly secret: string }>();
  readonly #results: GroupCommit<AttemptResult, void>;

  constructor(
    { pool }: Database,
    private readonly keys: KeyRing,
  ) {
    super();
    this.#pool = pool;
    this.#results = new GroupCommit<AttemptResult, void>({
      maxBatch: MAX_RECORD_BATCH,
      // The next batch grows while one is written.
      flushers: 1,
      flush: async batch => {
        await this.#write(batch);
        return batch.map(() => undefined);
      },
    });
  }

  override async enqueue(events: readonly QueuedEvent[], { client, afterCommit }: EventTransaction): Promise<void> {
    await client.query({
      name: 'queue-deliveries',
      text: ENQUEUE,
      values: [
        events.map(({ id }) => id),
        events.map(({ serviceId }) => serviceId),
        events.map(({ kind }) => kind),
        events.map(({ payload }) => payload),
        events.map(({ traceparent }) => traceparent ?? null),
        events.map(({ emailId }) => emailId),
        MAX_LISTENER_EVENTS,
      ],
    });
    afterCommit(() => this.#notify());
  }

  override async enqueueTest(webhookId: string, payload: string): Promise<PendingDelivery | undefined> {
    const values = [uuidv7(), webhookId, payload, currentTrace()];
    const { rows } = await this.#pool.query<PendingRow>(ENQUEUE_TEST, values);
    return rows[0] && this.#pending(rows[0]);
  }

  override async due(request: DueRequest): Promise<readonly DueDelivery[]> {
    const { dispatcher, partitions, limits, defaultLimit, inProgress } = request;
    const { rows } = await this.#pool.query<PendingRow & { readonly partition: number }>({
      ...(limits.size === 0 && { name: 'read-due-deliveries' }),
      text: READ_DUE,
      values: [dispatcher, partitions, [...limits.keys()], [...limits.values()], defaultLimit, arrayOf(inProgress)],
    });
    return rows.map(row => ({ ...this.#pending(row), partition: row.partition }));
  }

  override async readAgain({ id, attempts }: PendingDelivery): Promise<PendingDelivery | undefined> {
    const { rows } = await this.#pool.query<PendingRow>({
      name: 'read-delivery-again',
      text: READ_AGAIN,
      values: [id, attempts],
    });
    return rows[0] && this.#pending(rows[0]);
  }

  override async record(result: AttemptResult): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#results.submit(result);
      } catch (error) {
        if (tries === RECORD_TRIES) throw error;
        await delay(RECORD_RETRY_MS);
      }
    }
  }

  override async replay(webhookId: string, deliveryId: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ id: string }>(REPLAY, [deliveryId, webhookId, uuidv7(), currentTrace()]);
    if (rows[0]) this.#notify();
    return rows[0]?.id;
  }

  override async replayMissed(
    webhookId: string,
    since: Date,
    states: readonly MissedState[] = MISSED,
  ): Promise<number> {
    let total = 0;
    let last: ReplayRow | undefined;
    do {
      const { rows }: { rows: ReplayRow[] } = await this.#pool.query<ReplayRow>(REPLAY_MISSED, [
        webhookId,
        last?.created_at ?? since,
        last?.id ?? NIL_UUID,
        currentTrace(),
        newIdPrefix(),
        last?.until ?? null,
        REPLAY_BATCH,
        states,
      ]);
      last = rows[0];
      total += last?.replayed ?? 0;
      this.#notify();
    } while (last?.replayed === REPLAY_BATCH);
    return total;
  }

  override async failingFor(days: number): Promise<readonly { readonly webhookId: string; readonly since: Date }[]> {
    const { rows } = await this.#pool.query<{ webhook_id: string; since: Date }>(FIND_FAILING_WEBHOOKS, [days]);
    return rows.map(row => ({ webhookId: row.webhook_id, since: row.since }));
  }

  override holdForDisabled(): Promise<number> {
    return inSteps(this.#pool, HOLD_FOR_DISABLED, []);
  }

  override async purgeFinishedBefore(time: Date): Promise<number> {
    let total = 0;
    for (let after: string | null = NIL_UUID; after !== null; ) {
      const { rows }: { rows: PurgeRow[] } = await this.#pool.query<PurgeRow>(PURGE, [
        time,
        after,
        firstIdAt(time),
        PURGE_STEP,
      ]);
      total += rows[0]?.purged ?? 0;
      after = rows[0]?.examined === PURGE_STEP ? rows[0].last : null;
    }
    return total;
  }

  override onDue(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async #write(batch: readonly AttemptResult[]): Promise<void> {
    const column = (of: (result: AttemptResult) => string | number | undefined) => arrayOf(batch.map(of));
    await this.#pool.query({
      ...(batch.length < UNNAMED_FROM && { name: 'report-attempts' }),
      text: RECORD_ATTEMPTS,
      values: [
        column(({ delivery }) => delivery.id),
        column(({ delivery }) => delivery.attempts),
        column(({ startedAt }) => startedAt.getTime()),
        column(({ outcome }) => outcome),
        column(({ response }) => response.status),
        column(({ response }) => response.latencyMs),
        column(({ response }) => response.error),
        column(({ response }) => response.responseHead),
        column(({ retryInMs }) => retryInMs),
        column(({ response }) => response.retryAfterMs),
      ],
    });
  }

  /** Caches the decrypted secret until the ciphertext, which is read with every delivery, changes. */
  #secretOf({ webhook_id, current }: PendingRow): string {
    const known = this.#secrets.get(webhook_id);
    if (known?.sealed === current) return known.secret;
    const secret = this.keys.open(current, webhook_id);
    if (this.#secrets.size >= MAX_CACHED_SECRETS) this.#secrets.clear();
    this.#secrets.set(webhook_id, { sealed: current, secret });
    return secret;
  }

  #pending(row: PendingRow): PendingDelivery {
    return {
      id: row.id,
      webhookId: row.webhook_id,
      serviceId: row.service_id,
      workspaceId: row.workspace_id,
      url: row.url,
      secret: this.#secretOf(row),
      rateLimit: row.rate_limit ?? undefined,
      ordered: row.ordered,
      payload: row.payload,
      attempts: row.attempts,
      traceparent: row.traceparent ?? undefined,
      readAtMs: performance.now(),
    };
  }
}

/** The first 15 characters of a UUID of version 7; the statement adds random ones for each row. */
const newIdPrefix = (): string => uuidv7().slice(0, 15);

/** Replays and tests belong to the trace of their request. */
const currentTrace = (): string | null => currentContext()?.traceparent ?? null;
