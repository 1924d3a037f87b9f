import { Injectable } from '@nestjs/common';
import { GroupCommit } from '@postern/event-sourcing';
import type { Inbox } from '@postern/event-sourcing/postgres';
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
} from '../../ports.js';

/** Three deadlines of a call, so that a slow attempt never overlaps with its own retry. */
const LEASE_MS = 30_000;
const MAX_REPORTS_AT_ONCE = 500;

interface ClaimRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly fence: string;
  readonly url: string;
  readonly current: string;
  readonly payload: string;
  readonly attempts: number;
}

/**
 * Endpoints with something due, each with at most its free slots. The inner query touches one index per endpoint and
 * stops at the slots, so an endpoint with half a million due rows costs and gets no more than one with a handful.
 */
const CLAIM = `
  WITH picked AS (
    SELECT due.id
    FROM webhooks w
    LEFT JOIN unnest($1::uuid[], $2::int[]) AS busy (webhook_id, calls) ON busy.webhook_id = w.id
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d
      WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at <= now()
      ORDER BY d.next_attempt_at
      LIMIT greatest($3::int - coalesce(busy.calls, 0), 0)
      FOR UPDATE SKIP LOCKED
    ) due
    WHERE w.enabled
  )
  UPDATE deliveries d
  SET next_attempt_at = now() + make_interval(secs => $4::float8 / 1000), fence = nextval('delivery_fence')
  FROM picked, webhooks w, webhook_secrets s
  WHERE d.id = picked.id AND w.id = d.webhook_id AND s.webhook_id = d.webhook_id
  RETURNING d.id, d.webhook_id, d.fence, w.url, s.current, d.payload, d.attempts`;

const CLAIM_ONE = `
  UPDATE deliveries d
  SET next_attempt_at = now() + make_interval(secs => $2::float8 / 1000), fence = nextval('delivery_fence')
  FROM webhooks w, webhook_secrets s
  WHERE d.id = $1 AND d.state = 'pending' AND d.next_attempt_at <= now()
    AND w.id = d.webhook_id AND w.enabled AND s.webhook_id = d.webhook_id
  RETURNING d.id, d.webhook_id, d.fence, w.url, s.current, d.payload, d.attempts`;

/** One delivery for each event and endpoint that wants to know of it; a disabled one finds its events when it is back. */
const QUEUE = `
  INSERT INTO deliveries (id, webhook_id, event_id, payload, state, reason, next_attempt_at)
  SELECT gen_random_uuid(), w.id, e.id, e.payload,
    CASE WHEN w.enabled THEN 'pending' ELSE 'held' END,
    CASE WHEN w.enabled THEN NULL ELSE 'the endpoint is disabled' END,
    CASE WHEN w.enabled THEN now() END
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS e (id, service_id, kind, payload, line)
  JOIN webhooks w ON w.service_id = e.service_id AND e.kind = ANY (w.events)
  ORDER BY e.line
  ON CONFLICT DO NOTHING`;

/** One statement, one transaction: the attempt, what follows for its delivery, and how its endpoint fares. */
const REPORT = `
  WITH reported AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::bigint[], $3::timestamptz[], $4::text[], $5::smallint[], $6::int[], $7::text[], $8::text[], $9::float8[]
    ) AS r (id, fence, at, outcome, status, latency_ms, error, response_head, retry_in_ms)
  ), settled AS (
    UPDATE deliveries d
    SET attempts = d.attempts + 1,
        state = CASE WHEN r.outcome = 'accepted' THEN 'accepted' WHEN r.outcome = 'refused' THEN 'refused'
                     WHEN r.retry_in_ms IS NULL THEN 'dropped' WHEN d.state = 'held' THEN 'held' ELSE 'pending' END,
        reason = CASE WHEN r.outcome = 'accepted' THEN NULL
                      WHEN r.outcome = 'refused' THEN 'the endpoint answered ' || r.status
                      WHEN r.retry_in_ms IS NULL THEN 'the last retry failed: ' || coalesce(r.error, 'the endpoint answered ' || r.status)
                      ELSE coalesce(r.error, 'the endpoint answered ' || r.status) END,
        next_attempt_at = CASE WHEN r.outcome = 'retry' THEN now() + make_interval(secs => r.retry_in_ms / 1000) END,
        finished_at = CASE WHEN r.outcome <> 'retry' OR r.retry_in_ms IS NULL THEN now() END
    FROM reported r
    WHERE d.id = r.id AND d.fence = r.fence AND d.state IN ('pending', 'held')
    RETURNING d.id, d.webhook_id, d.attempts, r.at, r.outcome, r.status, r.latency_ms, r.error, r.response_head
  ), logged AS (
    INSERT INTO attempts (delivery_id, number, at, outcome, status, latency_ms, error, response_head)
    SELECT id, attempts, at, outcome, status, latency_ms, error, response_head FROM settled
  ), recovered AS (
    DELETE FROM failing_webhooks WHERE webhook_id IN (SELECT webhook_id FROM settled WHERE outcome = 'accepted')
  )
  INSERT INTO failing_webhooks (webhook_id, since, latest)
  SELECT webhook_id, min(at), max(at) FROM settled GROUP BY webhook_id HAVING bool_and(outcome <> 'accepted')
  ON CONFLICT (webhook_id) DO UPDATE SET latest = greatest(failing_webhooks.latest, excluded.latest)`;

/** `replay_of` always names the first delivery of the event, so that a replay of a replay is found with it. */
const REPLAY = `
  INSERT INTO deliveries (id, webhook_id, event_id, payload, state, replay_of, next_attempt_at)
  SELECT $3, webhook_id, event_id, payload, 'pending', coalesce(replay_of, id), now()
  FROM deliveries WHERE id = $1 AND webhook_id = $2
  RETURNING id`;

const REPLAY_SINCE = `
  INSERT INTO deliveries (id, webhook_id, event_id, payload, state, replay_of, next_attempt_at)
  SELECT gen_random_uuid(), d.webhook_id, d.event_id, d.payload, 'pending', d.id, now()
  FROM deliveries d
  WHERE d.webhook_id = $1 AND d.created_at >= $2 AND d.replay_of IS NULL AND d.event_id IS NOT NULL
    AND d.state IN ('refused', 'dropped', 'held')
    AND NOT EXISTS (SELECT 1 FROM deliveries r WHERE r.replay_of = d.id AND r.state IN ('pending', 'accepted'))
  ORDER BY d.created_at`;

const FIND = `
  SELECT d.*, coalesce((
    SELECT json_agg(a ORDER BY a.number) FROM attempts a WHERE a.delivery_id = d.id
  ), '[]') AS attempt_log
  FROM deliveries d`;

/** The queue of deliveries in PostgreSQL; works over any number of replicas. */
@Injectable()
export class PostgresDeliveryQueue implements DeliveryQueue {
  private readonly listeners: (() => void)[] = [];
  private readonly reports: GroupCommit<AttemptReport, void>;

  constructor(
    private readonly pool: pg.Pool,
    private readonly inbox: Inbox,
    private readonly keys: KeyRing,
  ) {
    this.reports = new GroupCommit<AttemptReport, void>({
      maxBatch: MAX_REPORTS_AT_ONCE,
      flush: async batch => {
        await this.write(batch);
        return batch.map(() => undefined);
      },
    });
  }

  async claim(busy: ReadonlyMap<string, number>, slotsPerEndpoint: number): Promise<readonly ClaimedDelivery[]> {
    const { rows } = await this.pool.query<ClaimRow>({
      name: 'claim-deliveries',
      text: CLAIM,
      values: [[...busy.keys()], [...busy.values()], slotsPerEndpoint, LEASE_MS],
    });
    return rows.map(row => this.claimed(row));
  }

  async claimOne(deliveryId: string): Promise<ClaimedDelivery | undefined> {
    const { rows } = await this.pool.query<ClaimRow>(CLAIM_ONE, [deliveryId, LEASE_MS]);
    return rows[0] && this.claimed(rows[0]);
  }

  report(report: AttemptReport): Promise<void> {
    return this.reports.submit(report);
  }

  async add(webhookId: string, payload: string): Promise<string> {
    const id = uuidv7();
    await this.pool.query(
      `INSERT INTO deliveries (id, webhook_id, payload, state, next_attempt_at) VALUES ($1, $2, $3, 'pending', now())`,
      [id, webhookId, payload],
    );
    return id;
  }

  async replay(webhookId: string, deliveryId: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ id: string }>(REPLAY, [deliveryId, webhookId, uuidv7()]);
    if (rows[0]) this.announce();
    return rows[0]?.id;
  }

  async replaySince(webhookId: string, since: Date): Promise<number> {
    const { rowCount } = await this.pool.query(REPLAY_SINCE, [webhookId, since]);
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

  async hold(webhookId: string): Promise<void> {
    await this.pool.query(
      `UPDATE deliveries SET state = 'held', reason = 'the endpoint is disabled' WHERE webhook_id = $1 AND state = 'pending'`,
      [webhookId],
    );
  }

  async forgive(webhookId: string): Promise<void> {
    await this.pool.query('DELETE FROM failing_webhooks WHERE webhook_id = $1', [webhookId]);
    this.announce();
  }

  async take(events: readonly QueuedEvent[]): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const fresh = await this.inbox.accept(
        client,
        'deliveries',
        events.map(({ id }) => id),
      );
      const taken = events.filter(({ id }) => fresh.has(id));
      if (taken.length > 0)
        await client.query({
          name: 'queue-deliveries',
          text: QUEUE,
          values: [
            taken.map(({ id }) => id),
            taken.map(({ serviceId }) => serviceId),
            taken.map(({ kind }) => kind),
            taken.map(({ payload }) => payload),
          ],
        });
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
    this.announce();
  }

  async purgeFinishedBefore(time: Date): Promise<number> {
    const { rowCount } = await this.pool.query('DELETE FROM deliveries WHERE finished_at < $1', [time]);
    await this.inbox.purge();
    return rowCount ?? 0;
  }

  onWork(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Something new is due; whoever works the queue off should look now instead of at its next round. */
  announce(): void {
    for (const listener of this.listeners) listener();
  }

  private async write(batch: readonly AttemptReport[]): Promise<void> {
    const column = <Value>(of: (report: AttemptReport) => Value) => batch.map(of);
    await this.pool.query({
      name: 'report-attempts',
      text: REPORT,
      values: [
        column(({ delivery }) => delivery.id),
        column(({ delivery }) => delivery.fence),
        column(({ startedAt }) => startedAt),
        column(({ outcome }) => outcome),
        column(({ answer }) => answer.status ?? null),
        column(({ answer }) => answer.latencyMs),
        column(({ answer }) => answer.error ?? null),
        column(({ answer }) => answer.responseHead ?? null),
        column(({ retryInMs }) => retryInMs ?? null),
      ],
    });
  }

  private claimed(row: ClaimRow): ClaimedDelivery {
    return {
      id: row.id,
      webhookId: row.webhook_id,
      fence: row.fence,
      url: row.url,
      secret: this.keys.open(row.current, row.webhook_id),
      payload: row.payload,
      attempts: row.attempts,
    };
  }
}

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
