import { randomBytes, randomUUID } from 'node:crypto';
import { type Database, KeyRing } from '@postern/service-host';
import { startPostgres, type TestPostgres } from '@postern/testing';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { Deliveries } from '../deliveries/deliveries.projection.js';
import { Partitions } from '../deliveries/partitions.js';
import type { AttemptResult, DueDelivery, QueuedEvent } from '../deliveries/ports.js';
import { PostgresDeliveryQueue } from '../deliveries/postgres-delivery-queue.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { WebhookHealths } from '../webhooks/webhook-health.js';
import { Webhooks } from '../webhooks/webhooks.projection.js';
import { migratedDatabase } from './migrated-database.js';

/** The delivery queue with real PostgreSQL, and a dispatcher that owns all partitions. */
export class QueueFixture {
  private constructor(
    private readonly postgres: TestPostgres,
    readonly keys: KeyRing,
    readonly pool: pg.Pool,
    readonly queue: PostgresDeliveryQueue,
    readonly partitions: Partitions,
    readonly deliveries: Deliveries,
  ) {}

  static async start(): Promise<QueueFixture> {
    const postgres = await startPostgres({ durable: false });
    const pool = new pg.Pool({ connectionString: await migratedDatabase(postgres) });
    // A pool that has ended may still be closing connections when its database is dropped.
    pool.on('connect', client => client.on('error', () => undefined));
    const database = { pool } as Database;
    const keys = new KeyRing([{ id: 'test', key: randomBytes(32) }]);
    const partitions = new Partitions(database);
    await partitions.balance(() => true);
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
    const deliveries = new Deliveries(prisma, new Webhooks(prisma, new WebhookHealths(database)), database);
    return new QueueFixture(postgres, keys, pool, new PostgresDeliveryQueue(database, keys), partitions, deliveries);
  }

  async stop(): Promise<void> {
    await this.partitions.end();
    await this.pool.end();
    await this.postgres.stop();
  }

  async clear(): Promise<void> {
    await this.pool.query('TRUNCATE webhooks, webhook_secrets, deliveries, attempts');
  }

  /** Creates a webhook of a service without others; returns its id. */
  async endpoint(): Promise<string> {
    const [id, serviceId] = [randomUUID(), randomUUID()];
    await this.pool.query(
      `INSERT INTO webhooks (id, service_id, workspace_id, url, events, enabled, created_at)
       VALUES ($1, $2, $2, $3, '{}', true, now())`,
      [id, serviceId, `https://hooks.test/${id}`],
    );
    await this.pool.query('INSERT INTO webhook_secrets (webhook_id, service_id, current) VALUES ($1, $2, $3)', [
      id,
      serviceId,
      this.keys.seal(`of ${id}`, id),
    ]);
    return id;
  }

  async enqueue(events: readonly QueuedEvent[]): Promise<void> {
    const client = await this.pool.connect();
    await this.queue.enqueue(events, { client, afterCommit: effect => effect() });
    client.release();
  }

  /** Queues events for a webhook. */
  async due(webhookId: string, count: number): Promise<void> {
    const { rows } = await this.pool.query<{ service_id: string }>(
      `UPDATE webhooks SET events = '{opened}' WHERE id = $1 RETURNING service_id`,
      [webhookId],
    );
    const serviceId = rows[0]?.service_id ?? '';
    await this.enqueue(
      Array.from({ length: count }, (_, n) => ({
        ...{ id: uuidv7(), serviceId, emailId: randomUUID(), kind: 'opened' as const, traceparent: undefined },
        payload: `{"number":${n}}`,
      })),
    );
  }

  /** Reads due deliveries, up to `most` for each endpoint. */
  read(
    most: number,
    limits: ReadonlyMap<string, number> = new Map(),
    inProgress: readonly string[] = [],
  ): Promise<readonly DueDelivery[]> {
    const { dispatcher, served } = this.partitions;
    const request = { dispatcher: dispatcher?.name ?? '', partitions: served, limits, defaultLimit: most, inProgress };
    return this.queue.due(request);
  }

  async listOf(webhookId: string, limit: number) {
    const { rows } = await this.pool.query('SELECT service_id FROM webhooks WHERE id = $1', [webhookId]);
    return this.deliveries.list({
      webhook_id: webhookId,
      service_id: rows[0]?.service_id,
      limit,
      offset: 0,
      state: undefined,
    });
  }
}

export const resultOf = (
  delivery: Pick<DueDelivery, 'id' | 'attempts'>,
  status: number,
  responseHead = '',
): AttemptResult => ({
  delivery,
  startedAt: new Date(),
  response: { status, responseHead, latencyMs: 12 },
  outcome: status < 300 ? 'accepted' : 'retry',
  retryInMs: status < 300 ? undefined : 60_000,
});
