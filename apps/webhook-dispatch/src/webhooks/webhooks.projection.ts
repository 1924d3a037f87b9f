import { Injectable } from '@nestjs/common';
import type { OutcomeKind } from '@postern/contracts';
import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import type { WebhookEvent } from './webhook.js';
import { PrismaClient, type Webhook } from '../generated/prisma/client.js';
import type { WebhookDirectory, WebhookRow } from '../deliveries/ports.js';

const apply = (event: RecordedEvent<WebhookEvent> & WebhookEvent, tx: ProjectionTransaction) => {
  const webhooks = tx.table('webhooks');
  const { webhook_id: id } = event.data;
  switch (event.type) {
    case 'webhook-dispatch.webhook-created.v1': {
      const { service_id, url, events, at } = event.data;
      return tx.query(
        `INSERT INTO ${webhooks} (id, service_id, url, events, enabled, created_at) VALUES ($1, $2, $3, $4, true, $5)`,
        [id, service_id, url, events, at],
      );
    }
    case 'webhook-dispatch.webhook-url-changed.v1':
      return tx.query(`UPDATE ${webhooks} SET url = $2 WHERE id = $1`, [id, event.data.url]);
    case 'webhook-dispatch.webhook-events-changed.v1':
      return tx.query(`UPDATE ${webhooks} SET events = $2 WHERE id = $1`, [id, event.data.events]);
    case 'webhook-dispatch.webhook-disabled.v1':
      return tx.query(`UPDATE ${webhooks} SET enabled = false, disabled_reason = $2 WHERE id = $1`, [
        id,
        event.data.reason,
      ]);
    case 'webhook-dispatch.webhook-enabled.v1':
      return tx.query(`UPDATE ${webhooks} SET enabled = true, disabled_reason = NULL WHERE id = $1`, [id]);
    case 'webhook-dispatch.webhook-removed.v1':
      return tx.query(`DELETE FROM ${webhooks} WHERE id = $1`, [id]);
    default:
      return undefined;
  }
};

/** Webhooks as they are now; the queue reads them too. */
export const webhooks: Projection = {
  name: 'webhooks',
  version: 1,
  tables: ['webhooks'],
  eventTypes: [
    'webhook-dispatch.webhook-created.v1',
    'webhook-dispatch.webhook-url-changed.v1',
    'webhook-dispatch.webhook-events-changed.v1',
    'webhook-dispatch.webhook-disabled.v1',
    'webhook-dispatch.webhook-enabled.v1',
    'webhook-dispatch.webhook-removed.v1',
  ],
  apply: async (events, tx) => {
    for (const event of events) await apply(event as RecordedEvent<WebhookEvent> & WebhookEvent, tx);
  },
};

@Injectable()
export class ProjectedWebhooks implements WebhookDirectory {
  constructor(private readonly prisma: PrismaClient) {}

  async ofService(serviceId: string): Promise<readonly WebhookRow[]> {
    const rows = await this.prisma.webhook.findMany({ where: { serviceId }, orderBy: { createdAt: 'asc' } });
    return this.withSecrets(rows);
  }

  async find(serviceId: string, webhookId: string): Promise<WebhookRow | undefined> {
    const row = await this.prisma.webhook.findFirst({ where: { id: webhookId, serviceId } });
    return row ? (await this.withSecrets([row]))[0] : undefined;
  }

  private async withSecrets(rows: readonly Webhook[]): Promise<WebhookRow[]> {
    const waiting = await this.prisma.webhookSecret.findMany({
      where: { webhookId: { in: rows.map(({ id }) => id) }, next: { not: null } },
      select: { webhookId: true },
    });
    const ready = new Set(waiting.map(({ webhookId }) => webhookId));
    return rows.map(row => ({
      ...row,
      events: row.events as OutcomeKind[],
      disabledReason: row.disabledReason ?? undefined,
      nextSecretReady: ready.has(row.id),
    }));
  }
}
