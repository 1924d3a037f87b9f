import { Injectable } from '@nestjs/common';
import { getWebhook, listWebhooks, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { PrismaClient, type Webhook } from '../generated/prisma/client.js';
import type { WebhookEvent } from './webhook.js';
import { WebhookHealths } from './webhook-health.js';
import {
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  insertWebhook,
  updateEvents,
  updatePacing,
  updateUrl,
} from './webhooks.sql.js';

type WebhookReply = ReplyOf<typeof getWebhook>;

const apply = (event: RecordedEvent<WebhookEvent> & WebhookEvent, tx: ProjectionTransaction) => {
  const { webhook_id: id } = event.data;
  switch (event.type) {
    case 'webhook-dispatch.webhook-created.v1': {
      const { service_id, workspace_id, url, events, at, rate_limit, ordered } = event.data;
      return tx.query(insertWebhook(tx), [id, service_id, url, events, at, workspace_id, rate_limit, ordered]);
    }
    case 'webhook-dispatch.webhook-url-changed.v1':
      return tx.query(updateUrl(tx), [id, event.data.url]);
    case 'webhook-dispatch.webhook-events-changed.v1':
      return tx.query(updateEvents(tx), [id, event.data.events]);
    case 'webhook-dispatch.webhook-pacing-changed.v1':
      return tx.query(updatePacing(tx), [id, event.data.rate_limit, event.data.ordered]);
    case 'webhook-dispatch.webhook-disabled.v1':
      return tx.query(disableWebhook(tx), [id, event.data.reason]);
    case 'webhook-dispatch.webhook-enabled.v1':
      return tx.query(enableWebhook(tx), [id]);
    case 'webhook-dispatch.webhook-removed.v1':
      return tx.query(deleteWebhook(tx), [id]);
    default:
      return undefined;
  }
};

/** The current webhooks; the delivery queue also reads this table. */
export const webhooks: Projection = {
  name: 'webhooks',
  version: 1,
  tables: ['webhooks'],
  eventTypes: [
    'webhook-dispatch.webhook-created.v1',
    'webhook-dispatch.webhook-url-changed.v1',
    'webhook-dispatch.webhook-events-changed.v1',
    'webhook-dispatch.webhook-pacing-changed.v1',
    'webhook-dispatch.webhook-disabled.v1',
    'webhook-dispatch.webhook-enabled.v1',
    'webhook-dispatch.webhook-removed.v1',
  ],
  apply: async (events, tx) => {
    for (const event of events) await apply(event as RecordedEvent<WebhookEvent> & WebhookEvent, tx);
  },
};

/** Queries of webhooks; they include every command that has returned. */
@Injectable()
export class Webhooks {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly healths: WebhookHealths,
  ) {}

  /** Oldest first. */
  @Handles(listWebhooks)
  async list({ service_id: serviceId }: RequestOf<typeof listWebhooks>): Promise<ReplyOf<typeof listWebhooks>> {
    const rows = await this.prisma.webhook.findMany({ where: { serviceId }, orderBy: { createdAt: 'asc' } });
    return this.#repliesOf(rows);
  }

  /** Refuses `webhook_not_found`, also for other services' webhooks. */
  @Handles(getWebhook)
  async get({ service_id: serviceId, webhook_id: id }: RequestOf<typeof getWebhook>): Promise<WebhookReply> {
    const row = await this.prisma.webhook.findFirst({ where: { id, serviceId } });
    const [reply] = row ? await this.#repliesOf([row]) : [];
    if (!reply) throw new Refusal('webhook_not_found', 'there is no such webhook');
    return reply;
  }

  async #repliesOf(rows: readonly Webhook[]): Promise<WebhookReply[]> {
    const ids = rows.map(({ id }) => id);
    const [withNextSecret, healths] = await Promise.all([
      this.prisma.webhookSecret.findMany({
        where: { webhookId: { in: ids }, next: { not: null } },
        select: { webhookId: true },
      }),
      this.healths.of(ids),
    ]);
    const ready = new Set(withNextSecret.map(({ webhookId }) => webhookId));
    return rows.flatMap(row => {
      const health = healths.get(row.id);
      // It was removed in the meantime.
      if (!health) return [];
      return {
        id: row.id,
        url: row.url,
        events: row.events as WebhookReply['events'],
        enabled: row.enabled,
        disabled_reason: row.disabledReason,
        next_secret_ready: ready.has(row.id),
        created_at: row.createdAt.toISOString(),
        rate_limit: row.rateLimit,
        ordered: row.ordered,
        health,
      };
    });
  }
}
