import { Injectable } from '@nestjs/common';
import type { ReplyOf, RequestOf, removeWebhook } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { webhook, webhookStream } from '../domain/webhook.js';
import { WebhookSecrets } from '../ports.js';

/** Ends an endpoint: nothing is sent to it any more, and its secret is forgotten. */
@Injectable()
export class RemoveWebhook {
  constructor(
    private readonly streams: Streams,
    private readonly secrets: WebhookSecrets,
  ) {}

  async execute({ service_id, webhook_id }: RequestOf<typeof removeWebhook>): Promise<ReplyOf<typeof removeWebhook>> {
    await this.streams.execute(webhook, webhookStream(webhook_id), {
      kind: 'remove',
      serviceId: service_id,
      at: new Date().toISOString(),
    });
    await this.secrets.remove(webhook_id);
    return {};
  }
}
