import { randomInt } from 'node:crypto';
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
  CLAIM,
  CLAIM_ONE,
  ENQUEUE,
  ENQUEUE_TEST,
  FIND_FAILING_WEBHOOKS,
  HOLD_FOR_DISABLED,
  PURGE,
  READ_CLAIMED,
  RECORD_ATTEMPTS,
  REPLAY,
  REPLAY_MISSED,
} from './delivery-queue.sql.js';
import {
  type AttemptResult,
  type ClaimedDelivery,
  DeliveryQueue,
  MISSED,
  type MissedState,
  type QueuedEvent,
} from './ports.js';

/** Three request timeouts, so that a slow attempt never overlaps with its retry. */
const LEASE_MS = 30_000;
const MAX_RECORD_BATCH = 500;
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

interface ClaimRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly service_id: string;
  readonly workspace_id: string;
  readonly fence: string;
  readonly url: string;
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
        newIdPrefix(),
        MAX_LISTENER_EVENTS,
        events.map(({ emailId }) => emailId),
      ],
    });
    afterCommit(() => this.#notify());
  }

  override async enqueueTest(webhookId: string, payload: string): Promise<string> {
    const id = uuidv7();
    await this.#pool.query(ENQUEUE_TEST, [id, webhookId, payload, currentTrace()]);
    return id;
  }

  override async claim(limits: ReadonlyMap<string, number>, defaultLimit: number): Promise<readonly ClaimedDelivery[]> {
    const { rows } = await this.#pool.query<ClaimRow>({
      ...(limits.size === 0 && { name: 'claim-deliveries' }),
      text: CLAIM,
      values: [LEASE_MS, newFence(), [...limits.keys()], [...limits.values()], defaultLimit],
    });
    return rows.map(row => this.#claimed(row));
  }

  override async claimOne(deliveryId: string): Promise<ClaimedDelivery | undefined> {
    const { rows } = await this.#pool.query<ClaimRow>(CLAIM_ONE, [LEASE_MS, newFence(), deliveryId]);
    return rows[0] && this.#claimed(rows[0]);
  }

  override async readAgain({ id, fence }: ClaimedDelivery): Promise<ClaimedDelivery | undefined> {
    const { rows } = await this.#pool.query<ClaimRow>({
      name: 'read-claimed-delivery',
      text: READ_CLAIMED,
      values: [id, fence],
    });
    return rows[0] && this.#claimed(rows[0]);
  }

  override record(result: AttemptResult): Promise<void> {
    return this.#results.submit(result);
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
        column(({ delivery }) => delivery.fence),
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

  /** Caches the decrypted secret until the ciphertext, which every claim returns, changes. */
  #secretOf({ webhook_id, current }: ClaimRow): string {
    const known = this.#secrets.get(webhook_id);
    if (known?.sealed === current) return known.secret;
    const secret = this.keys.open(current, webhook_id);
    if (this.#secrets.size >= MAX_CACHED_SECRETS) this.#secrets.clear();
    this.#secrets.set(webhook_id, { sealed: current, secret });
    return secret;
  }

  #claimed(row: ClaimRow): ClaimedDelivery {
    return {
      id: row.id,
      webhookId: row.webhook_id,
      serviceId: row.service_id,
      workspaceId: row.workspace_id,
      fence: row.fence,
      url: row.url,
      secret: this.#secretOf(row),
      payload: row.payload,
      attempts: row.attempts,
      traceparent: row.traceparent ?? undefined,
      claimedAtMs: Date.now(),
    };
  }
}

/** Fences are only compared for equality, so random numbers suffice. */
const newFence = (): number => randomInt(2 ** 48 - 1);

/** The first 15 characters of a UUID of version 7; the statement adds random ones for each row. */
const newIdPrefix = (): string => uuidv7().slice(0, 15);

/** Replays and tests belong to the trace of their request. */
const currentTrace = (): string | null => currentContext()?.traceparent ?? null;
