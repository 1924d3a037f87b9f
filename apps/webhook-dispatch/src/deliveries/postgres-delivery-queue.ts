import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GroupCommit } from '@postern/event-sourcing';
import { type Inbox, inSteps, inTransaction } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type {
  AttemptReport,
  AttemptRow,
  ClaimedDelivery,
  DeliveryQueue,
  DeliveryRow,
  DeliveryState,
  QueuedEvent,
} from './ports.js';
import { arrayOf } from './array-literal.js';
import {
  CLAIM,
  CLAIM_ONE,
  FIND,
  HOLD_FOR_DISABLED,
  PURGE,
  QUEUE,
  REPLAY,
  REPLAY_SINCE,
  REPORT,
} from './delivery-queue.sql.js';

/** Three deadlines of a call, so that a slow attempt never overlaps with its own retry. */
const LEASE_MS = 30_000;
const MAX_REPORTS_AT_ONCE = 500;
/**
 * A statement with a name keeps the plan of its first runs, and one made while the queue was empty reads all of it when
 * it is full. So whatever moves many rows is planned each time, which takes half a millisecond.
 */
const PLANNED_FROM = 16;
const MOST_SECRETS = 10_000;

interface ClaimRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly fence: string;
  readonly url: string;
  readonly current: string;
  readonly payload: string;
  readonly attempts: number;
  readonly traceparent: string | null;
}

/** The queue of deliveries in PostgreSQL; works over any number of replicas. */
@Injectable()
export class PostgresDeliveryQueue implements DeliveryQueue {
  private readonly listeners: (() => void)[] = [];
  private readonly secrets = new Map<string, { readonly sealed: string; readonly secret: string }>();
  private readonly reports: GroupCommit<AttemptReport, void>;

  constructor(
    private readonly pool: pg.Pool,
    private readonly inbox: Inbox,
    private readonly keys: KeyRing,
  ) {
    this.reports = new GroupCommit<AttemptReport, void>({
      maxBatch: MAX_REPORTS_AT_ONCE,
      // While one batch is being written the next one grows.
      flushers: 1,
      flush: async batch => {
        await this.write(batch);
        return batch.map(() => undefined);
      },
    });
  }

  async claim(free: ReadonlyMap<string, number>, otherwise: number): Promise<readonly ClaimedDelivery[]> {
    const { rows } = await this.pool.query<ClaimRow>({
      ...(free.size === 0 && { name: 'claim-deliveries' }),
      text: CLAIM,
      values: [LEASE_MS, newFence(), [...free.keys()], [...free.values()], otherwise],
    });
    return rows.map(row => this.claimed(row));
  }

  async claimOne(deliveryId: string): Promise<ClaimedDelivery | undefined> {
    const { rows } = await this.pool.query<ClaimRow>(CLAIM_ONE, [LEASE_MS, newFence(), deliveryId]);
    return rows[0] && this.claimed(rows[0]);
  }

  report(report: AttemptReport): Promise<void> {
    return this.reports.submit(report);
  }

  async add(webhookId: string, payload: string): Promise<string> {
    const id = uuidv7();
    await this.pool.query(
      `INSERT INTO deliveries (id, webhook_id, payload, state, next_attempt_at, traceparent)
       VALUES ($1, $2, $3, 'pending', now(), $4)`,
      [id, webhookId, payload, presentTrace()],
    );
    return id;
  }

  async replay(webhookId: string, deliveryId: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ id: string }>(REPLAY, [deliveryId, webhookId, uuidv7(), presentTrace()]);
    if (rows[0]) this.announce();
    return rows[0]?.id;
  }

  async replaySince(webhookId: string, since: Date): Promise<number> {
    const { rowCount } = await this.pool.query(REPLAY_SINCE, [webhookId, since, presentTrace(), newStamp()]);
    this.announce();
    return rowCount ?? 0;
  }

  async find(webhookId: string, deliveryId: string): Promise<DeliveryRow | undefined> {
    const { rows } = await this.pool.query<StoredDelivery>(`${FIND} WHERE d.webhook_id = $1 AND d.id = $2`, [
      webhookId,
      deliveryId,
    ]);
    return rows[0] && deliveryRow(rows[0]);
  }

  async list(
    webhookId: string,
    {
      limit,
      offset,
      state,
    }: { readonly limit: number; readonly offset: number; readonly state?: DeliveryState | undefined },
  ): Promise<{ readonly items: readonly DeliveryRow[]; readonly total: number }> {
    const scope = 'd.webhook_id = $1 AND ($2::text IS NULL OR d.state = $2)';
    const counted = await this.pool.query<{ total: string }>(
      `SELECT count(*) AS total FROM deliveries d WHERE ${scope}`,
      [webhookId, state ?? null],
    );
    const { rows } = await this.pool.query<StoredDelivery>(
      `${FIND} WHERE ${scope} ORDER BY d.created_at DESC, d.id DESC LIMIT $3 OFFSET $4`,
      [webhookId, state ?? null, limit, offset],
    );
    return { items: rows.map(deliveryRow), total: Number(counted.rows[0]?.total ?? 0) };
  }

  async failingFor(days: number): Promise<readonly { readonly webhookId: string; readonly since: Date }[]> {
    const { rows } = await this.pool.query<{ webhook_id: string; since: Date }>(
      `SELECT f.webhook_id, f.since FROM failing_webhooks f JOIN webhooks w ON w.id = f.webhook_id
       WHERE f.latest - f.since >= make_interval(days => $1) AND w.enabled`,
      [days],
    );
    return rows.map(row => ({ webhookId: row.webhook_id, since: row.since }));
  }

  holdForDisabled(): Promise<number> {
    return inSteps(this.pool, HOLD_FOR_DISABLED, []);
  }

  async take(events: readonly QueuedEvent[]): Promise<void> {
    await inTransaction(this.pool, async client => {
      const ids = events.map(({ id }) => id);
      const fresh = await this.inbox.accept(client, 'deliveries', ids);
      const taken = events.filter(({ id }) => fresh.has(id));
      if (taken.length === 0) return;
      await client.query({
        name: 'queue-deliveries',
        text: QUEUE,
        values: [
          taken.map(({ id }) => id),
          taken.map(({ serviceId }) => serviceId),
          taken.map(({ kind }) => kind),
          taken.map(({ payload }) => payload),
          taken.map(({ traceparent }) => traceparent ?? null),
          newStamp(),
        ],
      });
    });
    this.announce();
  }

  async purgeFinishedBefore(time: Date): Promise<number> {
    const purged = await inSteps(this.pool, PURGE, [time]);
    await this.inbox.purge();
    return purged;
  }

  onWork(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Something new is due; whoever works the queue off should look now instead of at its next round. */
  announce(): void {
    for (const listener of this.listeners) listener();
  }

  private async write(batch: readonly AttemptReport[]): Promise<void> {
    const column = (of: (report: AttemptReport) => string | number | undefined) => arrayOf(batch.map(of));
    await this.pool.query({
      ...(batch.length < PLANNED_FROM && { name: 'report-attempts' }),
      text: REPORT,
      values: [
        column(({ delivery }) => delivery.id),
        column(({ delivery }) => delivery.fence),
        column(({ startedAt }) => startedAt.getTime()),
        column(({ outcome }) => outcome),
        column(({ answer }) => answer.status),
        column(({ answer }) => answer.latencyMs),
        column(({ answer }) => answer.error),
        column(({ answer }) => answer.responseHead),
        column(({ retryInMs }) => retryInMs),
      ],
    });
  }

  /** Opened once for as long as it is the same: the ciphertext comes with every claim. */
  private secretOf({ webhook_id, current }: ClaimRow): string {
    const known = this.secrets.get(webhook_id);
    if (known?.sealed === current) return known.secret;
    const secret = this.keys.open(current, webhook_id);
    if (this.secrets.size >= MOST_SECRETS) this.secrets.clear();
    this.secrets.set(webhook_id, { sealed: current, secret });
    return secret;
  }

  private claimed(row: ClaimRow): ClaimedDelivery {
    return {
      id: row.id,
      webhookId: row.webhook_id,
      fence: row.fence,
      url: row.url,
      secret: this.secretOf(row),
      payload: row.payload,
      attempts: row.attempts,
      traceparent: row.traceparent ?? undefined,
    };
  }
}

/** Only ever compared for equality, so it need not count up: by chance it is taken twice in no lifetime. */
const newFence = (): number => randomInt(2 ** 48 - 1);

/** Time and version of a UUID of version 7; chance follows for each row. */
const newStamp = (): string => uuidv7().slice(0, 15);

/** A replay or a test belongs to the request that asks for it. */
const presentTrace = (): string | null => currentContext()?.traceparent ?? null;

interface StoredDelivery {
  readonly id: string;
  readonly event_id: string | null;
  readonly payload: string;
  readonly state: DeliveryState;
  readonly reason: string | null;
  readonly replay_of: string | null;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly attempt_log: readonly {
    readonly number: number;
    readonly at: string;
    readonly outcome: AttemptRow['outcome'];
    readonly status: number | null;
    readonly latency_ms: number;
    readonly error: string | null;
    readonly response_head: string | null;
  }[];
}

const deliveryRow = (row: StoredDelivery): DeliveryRow => ({
  id: row.id,
  eventId: row.event_id ?? undefined,
  payload: row.payload,
  state: row.state,
  reason: row.reason ?? undefined,
  replayOf: row.replay_of ?? undefined,
  nextAttemptAt: row.next_attempt_at ?? undefined,
  createdAt: row.created_at,
  attempts: row.attempt_log.map(attempt => ({
    number: attempt.number,
    at: new Date(attempt.at),
    outcome: attempt.outcome,
    status: attempt.status ?? undefined,
    latencyMs: attempt.latency_ms,
    error: attempt.error ?? undefined,
    responseHead: attempt.response_head ?? undefined,
  })),
});
