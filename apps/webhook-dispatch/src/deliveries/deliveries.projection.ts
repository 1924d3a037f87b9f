import { Inject, Injectable } from '@nestjs/common';
import { listDeliveries, listEmailDeliveries, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { type Prisma, PrismaClient } from '../generated/prisma/client.js';
import { Webhooks } from '../webhooks/webhooks.projection.js';
import { deliveryPage } from './delivery-pages.js';
import { FIND_EMAIL_DELIVERIES } from './email-deliveries.sql.js';
import { refusalOf } from './endpoint-response.js';

type DeliveryPage = ReplyOf<typeof listDeliveries>;
type DeliveryReply = DeliveryPage['items'][number];
type AttemptReply = DeliveryReply['attempts'][number];

const WITH_ATTEMPTS = { attemptLog: { orderBy: { number: 'asc' } } } as const satisfies Prisma.DeliveryInclude;

/**
 * Prisma reads attempts in a second statement; both must use the same snapshot. In an interactive transaction: Prisma
 * begins none for an array with one query.
 */
const ONE_SNAPSHOT = { isolationLevel: 'RepeatableRead' } as const;

/** Queries of deliveries and their attempts. The queue writes these rows itself, so no events are projected. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly webhooks: Webhooks,
    @Inject(Database) private readonly database: Pick<Database, 'pool'>,
  ) {}

  /** Newest first. Refuses `webhook_not_found`. */
  @Handles(listDeliveries)
  async list(request: RequestOf<typeof listDeliveries>): Promise<DeliveryPage> {
    await this.webhooks.get(request);
    const { limit, offset } = request;
    const { ids, ...total } = await deliveryPage(this.database.pool, request);
    const deliveries = await this.#inOrder(ids);
    return { items: deliveries.map(replyOf), ...total, limit, offset };
  }

  /** Newest first, over all webhooks of the service. */
  @Handles(listEmailDeliveries)
  async listOfEmail(request: RequestOf<typeof listEmailDeliveries>): Promise<ReplyOf<typeof listEmailDeliveries>> {
    const { service_id, email_id, limit, offset } = request;
    const { rows } = await this.database.pool.query<{ id: string; total: string }>(FIND_EMAIL_DELIVERIES, [
      service_id,
      email_id,
      limit,
      offset,
    ]);
    const deliveries = await this.#inOrder(rows.map(({ id }) => id));
    const items = deliveries.map(row => ({ ...replyOf(row), webhook_id: row.webhookId }));
    return { items, total: Number(rows[0]?.total ?? 0), limit, offset };
  }

  async find(webhookId: string, id: string): Promise<DeliveryReply | undefined> {
    const query = { where: { id, webhookId }, include: WITH_ATTEMPTS };
    const row = await this.prisma.$transaction(tx => tx.delivery.findFirst(query), ONE_SNAPSHOT);
    return row ? replyOf(row) : undefined;
  }

  /** Without those that were deleted in the meantime. */
  async #inOrder(ids: readonly string[]): Promise<DeliveryRow[]> {
    const query = { where: { id: { in: [...ids] } }, include: WITH_ATTEMPTS };
    const deliveries = await this.prisma.$transaction(tx => tx.delivery.findMany(query), ONE_SNAPSHOT);
    const byId = new Map(deliveries.map(row => [row.id, row]));
    return ids.flatMap(id => byId.get(id) ?? []);
  }
}

type DeliveryRow = Prisma.DeliveryGetPayload<{ include: typeof WITH_ATTEMPTS }>;

const replyOf = (row: DeliveryRow): DeliveryReply => ({
  id: row.id,
  event_id: row.eventId,
  payload: JSON.parse(row.payload) as DeliveryReply['payload'],
  state: row.state as DeliveryReply['state'],
  reason: row.reason,
  refusal: row.state === 'refused' ? refusalOf(row.attemptLog.at(-1)?.status) : null,
  replay_of: row.replayOf,
  next_attempt_at: row.state === 'pending' ? (row.nextAttemptAt?.toISOString() ?? null) : null,
  created_at: row.createdAt.toISOString(),
  attempts: [...row.attemptLog.map(failedAttempt), ...acceptedAttempt(row)],
});

const failedAttempt = (attempt: DeliveryRow['attemptLog'][number]): AttemptReply => ({
  number: attempt.number,
  at: attempt.at.toISOString(),
  outcome: attempt.outcome as AttemptReply['outcome'],
  status: attempt.status,
  latency_ms: attempt.latencyMs,
  error: attempt.error,
  response_head: attempt.responseHead,
});

/** None while no attempt was accepted; failed ones are in `attempts`. */
const acceptedAttempt = (row: DeliveryRow): AttemptReply[] =>
  row.acceptedAt === null
    ? []
    : [
        {
          number: row.attempts,
          at: row.acceptedAt.toISOString(),
          outcome: 'accepted',
          status: row.acceptedStatus,
          latency_ms: row.acceptedLatencyMs ?? 0,
          error: null,
          response_head: row.acceptedResponse,
        },
      ];
